// Prints the code metrics quoted in CONTRIBUTING.md: `node scripts/run.js house`. `--list` also prints every counted
// item. Fails if files import each other, a path from a route to its SQL statement is too long, or a block of
// lines occurs twice.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'vite';

const root = join(import.meta.dirname, '..');
const list = process.argv.includes('--list');
const folders = '{server,scorm,standards,console,player,client,bench,scripts,test}';
const isGenerated = (file: string) => file.endsWith('/generated.ts');
const isTest = (file: string) => /\.test\.tsx?$|test-(support|database)|(^|\/)test\//.test(file);

type Node = { type: string; start: number; end: number; [member: string]: unknown };
type Source = { file: string; text: string; lines: string[]; program: Node; imports: string[] };

/** The nodes of an AST are objects with a type. Everything else is a value. */
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Object(value).type === 'string';

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

function read(file: string): Source {
  const text = readFileSync(join(root, file), 'utf8');
  const { program, module } = parseSync(file, text);
  const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
  );
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
  );
  const imports = [...new Set([...imported, ...exported, ...dynamic])]
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(root, join(root, dirname(file), target)));
  return { file, text, lines: text.trimEnd().split('\n'), program: Object(program), imports };
}

const sources = globSync(`${folders}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/node_modules', '**/dist'] })
  .filter((file) => !isGenerated(file))
  .sort()
  .map(read);
const byFile = new Map(sources.map((source) => [source.file, source]));

/** Groups of files that import each other, including type imports. */
function cyclesOf(): string[][] {
  const reach = new Map<string, Set<string>>();
  for (const { file } of sources) {
    const seen = new Set<string>();
    for (const wanted = [...(byFile.get(file)?.imports ?? [])]; wanted.length > 0; ) {
      const next = wanted.pop() ?? '';
      if (seen.has(next)) continue;
      seen.add(next);
      wanted.push(...(byFile.get(next)?.imports ?? []));
    }
    reach.set(file, seen);
  }
  const inCycle = sources.map(({ file }) => file).filter((file) => reach.get(file)?.has(file));
  const groupOf = (file: string) =>
    inCycle.filter((to) => reach.get(file)?.has(to) && reach.get(to)?.has(file));
  return [...new Map(inCycle.map((file) => [groupOf(file).join(), groupOf(file)])).values()];
}

const functions = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length;

/** A helper function only casts, and the comment above it says why the cast is safe. */
function isHelper({ text }: Source, statement: Node): boolean {
  const hasReason = /\*\/\s*(export )?$/.test(text.slice(0, statement.start));
  return hasReason && lineAt(text, statement.end) - lineAt(text, statement.start) <= 6;
}

function castsOf(source: Source): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    const isConst = /\bas const$/.test(source.text.slice(node.start, node.end));
    const isCast = ['TSAsExpression', 'TSTypeAssertion', 'TSNonNullExpression'].includes(node.type);
    if (isCast && !isConst) found.push(`${source.file}:${lineAt(source.text, node.start)}`);
    for (const child of childrenOf(node)) visit(child);
  };
  for (const statement of childrenOf(source.program)) if (!isHelper(source, statement)) visit(statement);
  return found;
}

/** Finds functions that share more than three mutable variables with functions nested in them. */
function sharedVariablesOf(source: Source): string[] {
  const found: string[] = [];
  const visit = (node: Node, outer: Node | null): void => {
    const own = functions.includes(node.type) ? node : outer;
    if (own === node) {
      const names = mutablesIn(node);
      const inner = innerFunctions(node).map(({ start, end }) => source.text.slice(start, end));
      const shared = names.filter((name) => inner.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
      if (shared.length > 3)
        found.push(`${source.file}:${lineAt(source.text, node.start)} ${shared.join(' ')}`);
    }
    for (const child of childrenOf(node)) visit(child, own);
  };
  visit(source.program, null);
  return found;
}

function mutablesIn(node: Node): string[] {
  return childrenOf(node).flatMap((child) => {
    if (functions.includes(child.type)) return [];
    const declared = child.type === 'VariableDeclaration' && child.kind === 'let' ? childrenOf(child) : [];
    return [...declared.map(({ id }) => String(Object(id).name)), ...mutablesIn(child)];
  });
}

function innerFunctions(node: Node): Node[] {
  return childrenOf(node).flatMap((child) =>
    functions.includes(child.type) ? [child] : innerFunctions(child),
  );
}

/**
 * Each entry goes from the file of a route to the file of its SQL statement. Each import on the shortest path
 * counts as one hop.
 */
const journeys = {
  enrol: ['enrolments/routes.ts', 'enrolments/enrol-function.ts'],
  click: ['delivery/player/launch-route.ts', 'enrolments/run-time/start.ts'],
  commit: ['delivery/player/content-routes.ts', 'enrolments/run-time/write-progress.ts'],
  import: ['catalogue/routes.ts', 'catalogue/import-package.ts'],
};

function shortestPath([from = '', to = '']: string[]): string[] {
  const paths = [[`server/src/domain/${from}`]];
  for (const path of paths) {
    const last = path.at(-1) ?? '';
    if (last === `server/src/domain/${to}`) return path;
    for (const next of byFile.get(last)?.imports ?? [])
      if (!paths.some((other) => other.includes(next))) paths.push([...path, next]);
  }
  throw new Error(`No path from ${from} to ${to}.`);
}

/** Blocks of lines that occur twice. Imports, braces and comments do not count. */
function duplicatesOf(length = 8): string[] {
  const places = new Map<string, string>();
  const found: string[] = [];
  for (const { file, lines } of sources.filter(({ file }) => !isTest(file))) {
    const code = lines
      .map((line, n) => ({ text: line.trim(), at: n + 1 }))
      .filter(({ text }) => /\w{2}/.test(text) && !/^(import|export \*|\*|\/[/*]|} from)/.test(text));
    for (let n = 0; n + length <= code.length; n++) {
      const block = code
        .slice(n, n + length)
        .map(({ text }) => text)
        .join('\n');
      const here = `${file}:${code[n]?.at}`;
      const there = places.get(block);
      if (there) {
        found.push(`${here} = ${there}`);
        n += length - 1;
      } else places.set(block, here);
    }
  }
  return found;
}

const production = sources.filter(({ file }) => !isTest(file));
const sizes = sources.map(({ lines }) => lines.length).sort((a, b) => a - b);
const largest = sources.reduce((a, b) => (b.lines.length > a.lines.length ? b : a));
const cycles = cyclesOf();
const casts = production.flatMap(castsOf);
const closures = production.flatMap(sharedVariablesOf);
const duplicates = duplicatesOf();
const paths = Object.entries(journeys).map(([name, ends]) => ({ name, path: shortestPath(ends) }));

const measures: [name: string, value: string, counted?: string[]][] = [
  ['files', `${sources.length}, ${production.length} of them not tests`],
  ['lines', `${sizes.reduce((a, b) => a + b, 0)}`],
  ['median file', `${sizes[Math.floor(sizes.length / 2)]} lines`],
  ['90 % of files', `≤ ${sizes[Math.floor(sizes.length * 0.9)]} lines`],
  ['largest file', `${largest.lines.length} lines, ${largest.file}`],
  ['import cycles, types included', `${cycles.length}`, cycles.map((files) => files.join(' '))],
  ['casts outside helpers', `${casts.length}`, casts],
  ['closures with more than three mutable variables', `${closures.length}`, closures],
  [
    'hops from URL to SQL',
    paths.map(({ name, path }) => `${name} ${path.length - 1}`).join(', '),
    paths.map(({ path }) => path.join(' → ')),
  ],
  ['blocks of eight lines that occur twice', `${duplicates.length}`, duplicates],
];
for (const [name, value, counted = []] of measures) {
  console.log(`${name}: ${value}`);
  if (list) for (const each of counted) console.log(`    ${each}`);
}
const limits: [met: boolean, broken: string][] = [
  [cycles.length === 0, `files import each other: ${cycles.map((files) => files.join(' ')).join(', ')}`],
  [
    paths.every(({ path }) => path.length - 1 <= 3),
    'a route is more than three imports away from its statement',
  ],
  [duplicates.length === 0, `the same lines occur twice: ${duplicates.join(', ')}`],
];
for (const [met, broken] of limits) if (!met) console.error(`Not allowed: ${broken}.`);
process.exitCode = limits.every(([met]) => met) ? 0 : 1;
