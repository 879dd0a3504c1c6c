import type { Connection, Engine } from './engine.ts';
import { tenantTables } from './generated.ts';
import { isSymbol, isWord, type Node, readSql, splitNodes, wordOf } from './sql-tree.ts';
import {
  type Condition,
  isConflict,
  isQuery,
  type Relation,
  readRelation,
  readSources,
  type Sources,
} from './tenant-scope.ts';

const owned: ReadonlySet<string> = new Set(tenantTables);
const mark = /^\s*across tenants: \S/;
const plain = ['select', 'values', 'insert', 'update', 'delete'];

/** What a statement touches: shared tables only, rows of the one tenant that it names, or those of all for a reason. */
export type Verdict = { kind: 'no tenant' | 'one tenant' } | { kind: 'across tenants'; why: string };

/** Checked texts, so that a repeated statement costs one look-up. */
const checked = new Map<string, Verdict>();
const mostChecked = 2_000;

/**
 * Refuses SQL that could touch rows of several tenants. A statement that must, says why in a comment:
 * `/* across tenants: operator statistics *\/`.
 */
export function assertTenantScoped(text: string): Verdict {
  const known = checked.get(text);
  if (known) return known;
  const verdict = judge(text);
  if (checked.size >= mostChecked) checked.clear();
  checked.set(text, verdict);
  return verdict;
}

function judge(text: string): Verdict {
  const { nodes, comments } = readSql(text);
  const why = comments.find((comment) => mark.test(comment));
  if (why !== undefined) return { kind: 'across tenants', why: why.trim().slice('across tenants: '.length) };
  for (const statement of splitNodes(nodes, (node) => isSymbol(node, ';'))) checkQuery(statement, new Set());
  return { kind: namesOwned(nodes) ? 'one tenant' : 'no tenant' };
}

const namesOwned = (nodes: readonly Node[]): boolean =>
  nodes.some((node) => (node.kind === 'group' ? namesOwned(node.nodes) : owned.has(node.text)));

export function guardTenants(engine: Engine): Engine {
  const guarded = (connection: Connection): Connection => ({
    query: async (statement) => {
      assertTenantScoped(statement.text);
      return connection.query(statement);
    },
  });
  return {
    ...engine,
    ...guarded(engine),
    transaction: (work) => engine.transaction((connection) => work(guarded(connection))),
  };
}

function refuse(table: string, reason: string): never {
  throw new Error(
    `A statement on the table "${table}" ${reason}. If it must span tenants, it says so: /* across tenants: why */`,
  );
}

function checkQuery(nodes: readonly Node[], outer: ReadonlySet<string>): void {
  const { body, ctes } = readCtes(nodes, outer);
  const isSetOperation = (node: Node) => isWord(node, 'union', 'intersect', 'except');
  for (const part of splitNodes(body, isSetOperation)) {
    checkLevel(isWord(part[0], 'all', 'distinct') ? part.slice(1) : part, ctes);
  }
}

/** A CTE may not be called like a tenant's table: then nobody could tell which of the two is meant. */
function readCtes(
  nodes: readonly Node[],
  outer: ReadonlySet<string>,
): { body: readonly Node[]; ctes: Set<string> } {
  const ctes = new Set(outer);
  if (!isWord(nodes[0], 'with')) return { body: nodes, ctes };
  const queries: Node[][] = [];
  let at = isWord(nodes[1], 'recursive') ? 2 : 1;
  for (;;) {
    const name = nodes[at];
    if (name?.kind !== 'word') break;
    if (owned.has(name.text)) refuse(name.text, 'has a CTE of the same name');
    ctes.add(name.text);
    while (at < nodes.length && !isWord(nodes[at], 'as')) at++;
    while (at < nodes.length && nodes[at]?.kind !== 'group') at++;
    const query = nodes[at++];
    if (query?.kind === 'group') queries.push(query.nodes);
    if (!isSymbol(nodes[at], ',')) break;
    at++;
  }
  for (const query of queries) checkQuery(query, ctes);
  return { body: nodes.slice(at), ctes };
}

function checkLevel(nodes: readonly Node[], ctes: ReadonlySet<string>): void {
  const verb = wordOf(nodes[0]);
  if (verb === 'insert') checkInsert(nodes, ctes);
  else if (nodes[0]?.kind !== 'group' && !plain.includes(verb)) checkOther(nodes);
  else {
    checkSources(verb === 'update' || verb === 'delete' ? readTarget(nodes, ctes) : readSources(nodes, ctes));
    checkNested(nodes, ctes);
  }
}

function readTarget(nodes: readonly Node[], ctes: ReadonlySet<string>): Sources {
  const at = isWord(nodes[1], 'from') ? 2 : 1;
  const { relation, end } = readRelation(nodes, isWord(nodes[at], 'only') ? at + 1 : at, ctes);
  return readSources(nodes.slice(end), ctes, relation);
}

function checkNested(nodes: readonly Node[], ctes: ReadonlySet<string>): void {
  for (const node of nodes) {
    if (node.kind !== 'group') continue;
    if (isQuery(node.nodes)) checkQuery(node.nodes, ctes);
    else checkNested(node.nodes, ctes);
  }
}

function checkOther(nodes: readonly Node[]): void {
  for (const node of nodes) {
    if (node.kind === 'group') checkOther(node.nodes);
    else if (node.kind === 'word' && owned.has(node.text)) {
      refuse(node.text, 'is neither SELECT, INSERT, UPDATE nor DELETE, and so cannot be checked');
    }
  }
}

function checkInsert(nodes: readonly Node[], ctes: ReadonlySet<string>): void {
  const { relation, end } = readRelation(nodes, 2, ctes);
  const columns = nodes[end];
  const named = columns?.kind === 'group' && columns.nodes.some((node) => isColumn(node));
  if (owned.has(relation.name) && !named)
    refuse(relation.name, 'inserts without naming the column tenant_id');
  const from = nodes.findIndex((node) => isWord(node, 'select', 'with'));
  const conflict = nodes.findIndex((_, index) => isConflict(nodes, index));
  const rest = conflict < 0 ? nodes.length : conflict;
  if (from >= 0 && from < rest) checkQuery(nodes.slice(from, rest), ctes);
  checkNested(nodes.slice(from >= 0 ? rest : end), ctes);
}

const isColumn = (node: Node | undefined): boolean => node?.kind === 'word' && node.text === 'tenant_id';

/** Every table of a tenant must be tied to a tenant from outside, or to a table that is. */
function checkSources({ relations, conditions }: Sources): void {
  const needed = relations.filter(({ table, name }) => table && owned.has(name));
  if (needed.length === 0) return;
  const ties = [
    ...conditions.flatMap((condition) => readTies(condition, relations)),
    ...mergedTies(relations),
  ];
  const tied = new Set<Relation>();
  for (let before = -1; before < tied.size; ) {
    before = tied.size;
    for (const { relation, to } of ties) if (to === 'outside' || tied.has(to)) tied.add(relation);
  }
  const loose = needed.find((relation) => !tied.has(relation));
  if (loose) refuse(loose.name, `does not restrict ${loose.alias}.tenant_id`);
}

type Tie = { relation: Relation; to: Relation | 'outside' };

/** `using (tenant_id)` ties a relation to those before it, and them to it. */
function mergedTies(relations: readonly Relation[]): Tie[] {
  return relations.flatMap((relation, index): Tie[] => {
    if (!relation.merged) return [];
    const before = relations[index - 1];
    if (!before) return [];
    if (!before.table) return [{ relation, to: 'outside' }];
    return [
      { relation, to: before },
      { relation: before, to: relation },
    ];
  });
}

function readTies({ nodes, only }: Condition, relations: readonly Relation[]): Tie[] {
  if (nodes.some((node) => isWord(node, 'or'))) return [];
  const ties: Tie[] = [];
  for (const [at, node] of nodes.entries()) {
    if (node.kind === 'group') {
      const before = nodes[at - 1];
      const grouped = before === undefined || isWord(before, 'and');
      if (grouped && !isQuery(node.nodes))
        ties.push(...readTies({ nodes: node.nodes, ...(only && { only }) }, relations));
    } else if (isSymbol(node, '=')) {
      const [left, right] = [operandBefore(nodes, at), operandAfter(nodes, at)];
      ties.push(...tiesOf(left, right, relations), ...tiesOf(right, left, relations));
    }
  }
  return only ? ties.filter(({ relation }) => relation === only) : ties;
}

/** `whole` is false when the column is only a part of what stands on its side. */
type Operand = { alias: string; column: string; whole: boolean } | null;

function tiesOf(column: Operand, other: Operand, relations: readonly Relation[]): Tie[] {
  if (column?.column !== 'tenant_id' || !column.whole) return [];
  const to = other?.alias ? relations.find(({ alias, table }) => table && alias === other.alias) : undefined;
  if (to && other?.column !== 'tenant_id') return [];
  const merged = relations.every((relation, index) => index === 0 || relation.merged);
  if (column.alias === '' && !merged) return [];
  // A bare name may be a column of the same table, unless rows come from elsewhere too.
  if (other?.alias === '' && (other.column === 'tenant_id' || relations.every(({ table }) => table)))
    return [];
  return relations
    .filter(({ alias }) => column.alias === '' || alias === column.alias)
    .map((relation) => ({ relation, to: to ?? 'outside' }));
}

const ends = (node: Node | undefined): boolean => node === undefined || isWord(node, 'and');

function operandBefore(nodes: readonly Node[], at: number): Operand {
  const column = nodes[at - 1];
  if (column?.kind !== 'word') return null;
  const alias = isSymbol(nodes[at - 2], '.') ? nodes[at - 3] : undefined;
  const whole = ends(nodes[at - (alias ? 4 : 2)]);
  return { alias: alias?.kind === 'word' ? alias.text : '', column: column.text, whole };
}

function operandAfter(nodes: readonly Node[], at: number): Operand {
  const first = nodes[at + 1];
  if (first?.kind !== 'word' || nodes[at + 2]?.kind === 'group') return null;
  const column = isSymbol(nodes[at + 2], '.') ? nodes[at + 3] : undefined;
  const whole = ends(nodes[at + (column ? 4 : 2)]);
  if (column?.kind !== 'word') return { alias: '', column: first.text, whole };
  return { alias: first.text, column: column.text, whole };
}
