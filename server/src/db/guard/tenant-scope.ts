import { isSymbol, isWord, type Node, wordOf } from './sql-tree.ts';

/** A relation that a query reads from, under the name used in its conditions. */
export type Relation = {
  name: string;
  alias: string;
  /** False for a function, a subquery or a CTE, whose rows come from elsewhere. */
  table: boolean;
};

/** Conditions on the relation `only` or, if that is not set, on every relation. */
export type Condition = { nodes: Node[]; only?: Relation };

export type Sources = { relations: Relation[]; conditions: Condition[] };

const clauses = [
  'where',
  'group',
  'having',
  'order',
  'limit',
  'offset',
  'fetch',
  'for',
  'window',
  'returning',
  'set',
];
const joins = ['join', 'inner', 'left', 'right', 'full', 'cross', 'natural', 'outer'];
const notAliases = new Set([
  ...clauses,
  ...joins,
  'on',
  'using',
  'as',
  'tablesample',
  'when',
  'values',
  'select',
  'default',
  'overriding',
  'from',
]);

const endsSources = (node: Node | undefined): boolean => isWord(node, ...clauses);

/** Reads `from …`, `using …` and `where …` of one query level; `nodes` starts after its first keyword. */
export function readSources(nodes: readonly Node[], ctes: ReadonlySet<string>, target?: Relation): Sources {
  const sources: Sources = { relations: target ? [target] : [], conditions: [] };
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at];
    const isOperator = isWord(nodes[at - 1], 'distinct') && isWord(nodes[at - 2], 'is', 'not');
    if (isWord(node, 'from') && !isOperator) at = readList(nodes, at + 1, ctes, sources) - 1;
    else if (target && isWord(node, 'using') && nodes[at + 1]?.kind !== 'group') {
      at = readList(nodes, at + 1, ctes, sources) - 1;
    } else if (isWord(node, 'where')) {
      const end = nextIndex(nodes, at + 1, (next, index) => endsSources(next) || isConflict(nodes, index));
      sources.conditions.push({ nodes: nodes.slice(at + 1, end) });
      at = end - 1;
    }
  }
  return sources;
}

export const isConflict = (nodes: readonly Node[], index: number): boolean =>
  isWord(nodes[index], 'on') && isWord(nodes[index + 1], 'conflict');

function nextIndex(nodes: readonly Node[], from: number, is: (node: Node, index: number) => boolean): number {
  for (let at = from; at < nodes.length; at++) {
    const node = nodes[at];
    if (node && is(node, at)) return at;
  }
  return nodes.length;
}

function readList(nodes: readonly Node[], from: number, ctes: ReadonlySet<string>, into: Sources): number {
  const ends = (node: Node, index: number) => endsSources(node) || isConflict(nodes, index);
  const end = nextIndex(nodes, from, ends);
  readJoins(nodes.slice(from, end), ctes, into);
  return end;
}

function readJoins(nodes: readonly Node[], ctes: ReadonlySet<string>, into: Sources): void {
  let kind = '';
  let expected = true;
  let open = false;
  let current: Relation | undefined;
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at];
    // Nested joins make it impossible to tell which tables a condition restricts.
    if (open && (isSymbol(node, ',') || isWord(node, ...joins))) throw notUnderstood();
    if (isSymbol(node, ',')) {
      kind = '';
      expected = true;
    } else if (isWord(node, 'join')) {
      expected = true;
      open = kind !== 'cross' && kind !== 'natural';
    } else if (isWord(node, ...joins)) {
      kind = isWord(node, 'outer') ? kind : wordOf(node);
    } else if (isWord(node, 'on')) {
      const end = nextIndex(nodes, at + 1, (next) => isSymbol(next, ',') || isWord(next, ...joins));
      // The condition of an outer join does not remove rows from the preserved side.
      if (kind !== 'right' && kind !== 'full') {
        const nodesOfIt = nodes.slice(at + 1, end);
        into.conditions.push(
          kind === 'left' && current ? { nodes: nodesOfIt, only: current } : { nodes: nodesOfIt },
        );
      }
      kind = '';
      open = false;
      at = end - 1;
    } else if (isWord(node, 'using') && nodes[at + 1]?.kind === 'group') {
      kind = '';
      open = false;
      at++;
    } else if (expected) {
      if (isWord(node, 'only', 'lateral')) continue;
      expected = false;
      const read = readRelation(nodes, at, ctes);
      current = read.relation;
      into.relations.push(read.relation);
      at = read.end - 1;
    } else throw notUnderstood();
  }
}

function notUnderstood(): Error {
  return new Error('Part of FROM cannot be parsed, so its tables cannot be checked. Use plain joins.');
}

export const isQuery = (nodes: readonly Node[]): boolean => {
  const [first] = nodes;
  if (first?.kind === 'group') return isQuery(first.nodes);
  return isWord(first, 'select', 'with', 'values', 'insert', 'update', 'delete', 'table', 'merge');
};

/** `[schema .] name [(arguments)] [*] [as] [alias]` or `(query) [as] alias`. */
export function readRelation(
  nodes: readonly Node[],
  from: number,
  ctes: ReadonlySet<string>,
): { relation: Relation; end: number } {
  let at = from;
  let name = '';
  let table = false;
  const isInsert = isWord(nodes[from - 1], 'into');
  const first = nodes[at++];
  if (first?.kind === 'group' && !isQuery(first.nodes)) throw notUnderstood();
  if (first?.kind === 'word') {
    name = first.text;
    table = true;
    while (isSymbol(nodes[at], '.')) {
      const part = nodes[at + 1];
      if (part?.kind === 'word') name = part.text;
      at += 2;
    }
    if (nodes[at]?.kind === 'group' && !isInsert) {
      table = false;
      at++;
    }
    if (isWord(nodes[at], 'with') && isWord(nodes[at + 1], 'ordinality')) at += 2;
    if (isSymbol(nodes[at], '*')) at++;
  } else if (first?.kind !== 'group') throw notUnderstood();
  if (isWord(nodes[at], 'as')) at++;
  const last = nodes[at];
  let alias = name;
  if (last?.kind === 'word' && (last.quoted || !notAliases.has(last.text))) {
    alias = last.text;
    at++;
  }
  const isTable = table && !ctes.has(name);
  // Column aliases would allow another column to be called tenant_id.
  if (!isTable && nodes[at]?.kind === 'group' && !isInsert) at++;
  return { relation: { name, alias, table: isTable }, end: at };
}
