import { type Engine, isTenant, type Statement, sharedTables } from '../engine/engine.ts';
import { tenantTables } from '../engine/generated.ts';
import { isSymbol, isWord, type Node, readSql, splitNodes, wordOf } from './sql-tree.ts';
import { checkFunctionBody, tenantArguments } from './tenant-functions.ts';
import {
  type Condition,
  isConflict,
  isQuery,
  type Relation,
  readRelation,
  readSources,
  type Sources,
} from './tenant-scope.ts';

const tenantOwned: ReadonlySet<string> = new Set(tenantTables);
const acrossTenantsMark = /^\s*across tenants: \S/;
const checkableVerbs = ['select', 'values', 'insert', 'update', 'delete'];
const controlVerbs = ['begin', 'commit', 'rollback', 'savepoint', 'release', 'set', 'show', 'lock'];
const advice = 'If the statement must span tenants, add the reason as a comment: /* across tenants: why */';

/**
 * The rows that a statement can access: only rows of shared tables (`no tenant`), only rows of the tenant
 * that it names (`one tenant`), or, for a stated reason, rows of all tenants.
 */
export type GuardResult =
  | { kind: 'no tenant' | 'one tenant'; parameters: readonly number[] }
  | { kind: 'across tenants'; why: string };

/** Cached results, so that a repeated statement costs one look-up. */
const verdicts = new Map<string, GuardResult>();
const maxVerdicts = 2_000;

/**
 * Rejects SQL that could access rows of several tenants. A statement that has to access them gives the reason
 * in a comment: `/* across tenants: operator statistics *\/`.
 */
export function assertTenantScoped(text: string): GuardResult {
  const known = verdicts.get(text);
  if (known) return known;
  const verdict = classify(text);
  if (verdicts.size >= maxVerdicts) verdicts.clear();
  verdicts.set(text, verdict);
  return verdict;
}

function classify(text: string): GuardResult {
  const { nodes, comments } = readSql(text);
  const why = comments.find((comment) => acrossTenantsMark.test(comment));
  if (why !== undefined) return { kind: 'across tenants', why: why.trim().slice('across tenants: '.length) };
  for (const statement of splitNodes(nodes, (node) => isSymbol(node, ';'))) checkQuery(statement, new Set());
  const passed = tenantArguments(nodes);
  const kind = passed.length > 0 || namesTenantTable(nodes) ? 'one tenant' : 'no tenant';
  return { kind, parameters: [...tenantParameters(nodes), ...passed] };
}

/** Rejects a database function that could access rows of several tenants. In its body, `$1` is the tenant. */
export function assertFunctionTenantScoped(name: string, body: string): void {
  checkFunctionBody(name, body, (statement) => {
    const others = tenantParameters(statement).some((number) => number !== 1);
    if (others) throw new Error(`A statement of the function ${name} names a tenant other than its own.`);
    checkQuery(statement, new Set());
  });
}

/** The numbers of the parameters that are compared with `tenant_id`. */
function tenantParameters(nodes: readonly Node[]): number[] {
  return nodes.flatMap((node, at) => {
    if (node.kind === 'group') return tenantParameters(node.nodes);
    const other = nodes[at + 2];
    if (!isColumn(node) || !isSymbol(nodes[at + 1], '=') || other?.kind !== 'value') return [];
    return other.text.startsWith('$') ? [Number(other.text.slice(1))] : [];
  });
}

const namesTenantTable = (nodes: readonly Node[]): boolean =>
  nodes.some((node) => (node.kind === 'group' ? namesTenantTable(node.nodes) : tenantOwned.has(node.text)));

export function guardTenants(engine: Engine): Engine {
  return {
    ...engine,
    query: async (statement, owner) => engine.query(statement, ownerOf(statement, owner)),
    transaction: (work, owner) =>
      engine.transaction(
        (connection) =>
          work({
            query: async (statement) => {
              ownerOf(statement, owner);
              return connection.query(statement);
            },
          }),
        owner,
      ),
  };
}

/** A tenant's statement must not name another tenant. */
function ownerOf(statement: Statement, owner: string | undefined): string | undefined {
  const named = tenantOf(statement);
  if (!owner) return named ?? (isShared(statement) ? sharedTables : owner);
  if (isTenant(owner) && named && named !== owner)
    throw new Error(`A statement for one tenant names another: ${statement.text}`);
  return owner;
}

const isShared = ({ text }: Statement) => assertTenantScoped(text).kind === 'no tenant';

/**
 * The tenant that the statement names, if any. Throws if the statement accesses several tenants
 * without giving a reason.
 */
function tenantOf({ text, values }: Statement): string | undefined {
  const verdict = assertTenantScoped(text);
  if (verdict.kind === 'across tenants') return;
  const [first, ...others] = verdict.parameters;
  if (first === undefined) return;
  const tenantId = values[first - 1];
  if (others.some((number) => values[number - 1] !== tenantId))
    throw new Error(`A statement names several tenants: ${text}`);
  return typeof tenantId === 'string' ? tenantId : undefined;
}

function rejectStatement(table: string, reason: string): never {
  throw new Error(`A statement on the table "${table}" ${reason}. ${advice}`);
}

function checkQuery(nodes: readonly Node[], outer: ReadonlySet<string>): void {
  const { body, ctes } = readCtes(nodes, outer);
  const isSetOperation = (node: Node) => isWord(node, 'union', 'intersect', 'except');
  for (const part of splitNodes(body, isSetOperation)) {
    checkLevel(isWord(part[0], 'all', 'distinct') ? part.slice(1) : part, ctes);
  }
}

/** A CTE must not have the name of a tenant table, because the name would be ambiguous. */
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
    if (tenantOwned.has(name.text)) rejectStatement(name.text, 'has a CTE with the same name');
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
  else if (nodes[0]?.kind !== 'group' && !checkableVerbs.includes(verb)) checkOther(nodes);
  else {
    checkSources(verb === 'update' || verb === 'delete' ? readTarget(nodes, ctes) : readSources(nodes, ctes));
    checkNested(nodes, ctes);
  }
}

function readTarget(nodes: readonly Node[], ctes: ReadonlySet<string>): Sources {
  const at = isWord(nodes[1], 'from') ? 2 : 1;
  const { relation, end } = readRelation(nodes, isWord(nodes[at], 'only') ? at + 1 : at, ctes);
  if (nodes[end] && !isWord(nodes[end], 'set', 'using', 'where', 'returning'))
    rejectStatement(relation.name, 'has a form that the guard does not understand');
  return readSources(nodes.slice(end), ctes, relation);
}

function checkNested(nodes: readonly Node[], ctes: ReadonlySet<string>): void {
  for (const node of nodes) {
    if (node.kind !== 'group') continue;
    if (isQuery(node.nodes)) checkQuery(node.nodes, ctes);
    else checkNested(node.nodes, ctes);
  }
}

/**
 * Allows only control statements. Other commands, such as DO, EXECUTE, COPY and EXPLAIN, could hide
 * a statement from this check.
 */
function checkOther(nodes: readonly Node[]): void {
  if (!controlVerbs.includes(wordOf(nodes[0])) || namesTenantTable(nodes))
    throw new Error(
      `A statement that is neither SELECT, INSERT, UPDATE nor DELETE cannot be checked. ${advice}`,
    );
}

function checkInsert(nodes: readonly Node[], ctes: ReadonlySet<string>): void {
  const { relation, end } = readRelation(nodes, 2, ctes);
  const columns = nodes[end];
  const named = columns?.kind === 'group' && columns.nodes.some((node) => isColumn(node));
  if (tenantOwned.has(relation.name) && !named)
    rejectStatement(relation.name, 'inserts without naming the column tenant_id');
  const from = nodes.findIndex((node) => isWord(node, 'select', 'with'));
  if (from < 0 && !nodes.some((node) => isWord(node, 'values')))
    rejectStatement(relation.name, 'inserts rows that come neither from VALUES nor from SELECT');
  const conflict = nodes.findIndex((_, index) => isConflict(nodes, index));
  const rest = conflict < 0 ? nodes.length : conflict;
  if (from >= 0 && from < rest) checkQuery(nodes.slice(from, rest), ctes);
  checkNested(nodes.slice(from >= 0 ? rest : end), ctes);
}

const isColumn = (node: Node | undefined): boolean => node?.kind === 'word' && node.text === 'tenant_id';

/** Each tenant table needs its own condition that compares its tenant with a parameter or constant. */
function checkSources({ relations, conditions }: Sources): void {
  const restricted = new Set(conditions.flatMap((condition) => restrictedBy(condition, relations)));
  const unrestricted = relations.find(
    (relation) => relation.table && tenantOwned.has(relation.name) && !restricted.has(relation),
  );
  if (unrestricted)
    rejectStatement(unrestricted.name, `does not restrict ${unrestricted.alias}.tenant_id to one value`);
}

/** Considers only conditions joined by AND that this parser fully understands. */
function restrictedBy({ nodes, only }: Condition, relations: readonly Relation[]): Relation[] {
  if (nodes.some((node) => isWord(node, 'or', 'case'))) return [];
  return conjuncts(nodes).flatMap((part) => {
    const [first] = part;
    if (part.length === 1 && first?.kind === 'group' && !isQuery(first.nodes))
      return restrictedBy({ nodes: first.nodes, ...(only && { only }) }, relations);
    const alias = restrictedAlias(part);
    return relations.filter((relation) => {
      if (only && relation !== only) return false;
      return alias === relation.alias || (alias === '' && relations.length === 1);
    });
  });
}

/** Splits a condition at each AND, except for the AND of BETWEEN. */
function conjuncts(nodes: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  let isBetween = false;
  for (const node of nodes) {
    if (isWord(node, 'and') && !isBetween) parts.push([]);
    else parts.at(-1)?.push(node);
    isBetween = isWord(node, 'between') || (isBetween && !isWord(node, 'and'));
  }
  return parts;
}

/** The alias in `[alias.]tenant_id = value`; '' without an alias; null for anything else. */
function restrictedAlias(part: readonly Node[]): string | null {
  const at = part.findIndex((node) => isSymbol(node, '='));
  if (at < 0) return null;
  const [left, right] = [part.slice(0, at), part.slice(at + 1)];
  if (isValue(right)) return columnAlias(left);
  return isValue(left) ? columnAlias(right) : null;
}

/** A parameter or a constant, with or without a cast. */
function isValue([value, cast, type, ...more]: readonly Node[]): boolean {
  if (value?.kind !== 'value' || more.length > 0) return false;
  return cast === undefined || (isSymbol(cast, '::') && type?.kind === 'word');
}

function columnAlias(nodes: readonly Node[]): string | null {
  const [first, dot, last] = nodes;
  if (nodes.length === 1) return isColumn(first) ? '' : null;
  const isQualified = nodes.length === 3 && first?.kind === 'word' && isSymbol(dot, '.') && isColumn(last);
  return isQualified ? first.text : null;
}
