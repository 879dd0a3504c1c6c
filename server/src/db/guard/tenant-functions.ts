import { isSymbol, isWord, type Node, readSql, splitNodes } from './sql-tree.ts';

/** Functions in the database whose statements have been checked, and whose first parameter is the tenant. */
const checkedFunctions = new Set<string>();

const statementVerbs = ['select', 'values', 'insert', 'update', 'delete', 'with', 'perform'];
/** Words after which PL/pgSQL begins another statement. */
const statementStarts = ['begin', 'loop', 'then', 'else'];

/**
 * Checks each statement of a function's body, in which `$1` is the tenant. An expression with CASE must be in
 * parentheses, because its THEN would otherwise look like the THEN of an IF.
 */
export function checkFunctionBody(
  name: string,
  body: string,
  check: (statement: readonly Node[]) => void,
): void {
  const { nodes } = readSql(body);
  for (const part of splitNodes(nodes, (node) => isSymbol(node, ';') || isWord(node, ...statementStarts))) {
    if (part.some((node) => isWord(node, 'execute')))
      throw new Error(`The function ${name} executes dynamic SQL, which cannot be checked.`);
    const at = part.findIndex((node) => isWord(node, ...statementVerbs));
    const statement: Node[] = at < 0 ? [select, { kind: 'group', nodes: part }] : part.slice(at);
    check(isWord(statement[0], 'perform') ? [select, ...statement.slice(1)] : statement);
  }
  checkedFunctions.add(name);
}

const select: Node = { kind: 'word', text: 'select', quoted: false };

/** The numbers of the parameters that are passed as the tenant to checked functions. */
export function tenantArguments(nodes: readonly Node[]): number[] {
  return nodes.flatMap((node, at) => {
    if (node.kind === 'group') return tenantArguments(node.nodes);
    if (node.kind !== 'word' || !checkedFunctions.has(node.text)) return [];
    const passed = nodes[at + 1];
    const first = passed?.kind === 'group' ? passed.nodes[0] : undefined;
    if (first?.kind !== 'value' || !/^\$\d+$/.test(first.text))
      throw new Error(`The first argument of ${node.text} must be a parameter with the tenant.`);
    return [Number(first.text.slice(1))];
  });
}
