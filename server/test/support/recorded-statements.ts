import { appendFileSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection, Engine, Statement } from '../../src/db/engine/engine.ts';
import { assertTenantScoped } from '../../src/db/guard/tenant-guard.ts';
import { mutantsOf } from './tenant-mutations.ts';

type Line = { text: string; tenants: number; values?: unknown[] };

const insertShape = /insert into "?\w+"?(?: as \w+)? \(([^)]*)\)\s*values ((?:\([^()]*\),?\s*)+)/gi;

/** The parameters of a statement that name a tenant: in conditions, and in the rows of an insert. */
function tenantParameters(text: string): number[] {
  const found = [...text.matchAll(/tenant_id"? = \$(\d+)/g)].map(([, number]) => Number(number));
  for (const [, columns = '', rows = ''] of text.matchAll(insertShape)) {
    const at = columns.split(',').findIndex((column) => /^\s*"?tenant_id"?\s*$/.test(column));
    if (at < 0) continue;
    for (const [, values = ''] of rows.matchAll(/\(([^()]*)\)/g)) {
      const [, number] = /^\s*\$(\d+)/.exec(values.split(',')[at] ?? '') ?? [];
      if (number) found.push(Number(number));
    }
  }
  return found;
}

const parameters = new Map<string, number[]>();
/** The statements that this process has recorded in each folder. */
const recorded = new Map<string, Map<string, number>>();

/** Whether values are recorded too. The tests on Citus need them to plan the statements again. */
const keepsValues = process.env.TEST_STATEMENT_VALUES === '1';

/**
 * Records each statement's text once, and again if a later use names more tenants than the earlier ones did.
 */
export function recordStatements(engine: Engine, folder: string): Engine {
  const maxTenants = recorded.get(folder) ?? new Map<string, number>();
  recorded.set(folder, maxTenants);
  const note = ({ text, values }: Statement) => {
    const known = parameters.get(text) ?? tenantParameters(text);
    parameters.set(text, known);
    const tenants = new Set(known.map((number) => values[number - 1])).size;
    if (tenants <= (maxTenants.get(text) ?? -1)) return;
    maxTenants.set(text, tenants);
    const line: Line = keepsValues ? { text, tenants, values: [...values] } : { text, tenants };
    appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
  };
  const over = (connection: Connection): Connection => ({
    query: (statement) => {
      note(statement);
      return connection.query(statement);
    },
  });
  return {
    ...engine,
    ...over(engine),
    transaction: (work) => engine.transaction((connection) => work(over(connection))),
  };
}

function* linesIn(folder: string): Generator<Line> {
  for (const file of globSync(join(folder, '*.jsonl')))
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) yield JSON.parse(line) as Line;
}

/** The recorded texts, each with the maximum number of tenants that a single use has named. */
function recordedIn(folder: string): Map<string, number> {
  const tenantsOf = new Map<string, number>();
  for (const { text, tenants } of linesIn(folder))
    tenantsOf.set(text, Math.max(tenants, tenantsOf.get(text) ?? 0));
  return tenantsOf;
}

/** The recorded statements, each once, with the values of one use. */
export function recordedStatements(folder: string): Statement[] {
  const found = new Map<string, Statement>();
  for (const { text, values = [] } of linesIn(folder)) found.set(text, { text, values });
  return [...found.values()];
}

/**
 * Removes the tenant from each recorded statement with one tenant. Returns the number of mutants, and the
 * mutants that the guard accepts.
 */
export function checkMutants(folder: string) {
  const result = { statements: 0, mutants: 0, accepted: [] as string[] };
  for (const text of recordedIn(folder).keys()) {
    if (assertTenantScoped(text).kind !== 'one tenant') continue;
    result.statements++;
    for (const mutant of mutantsOf(text)) {
      result.mutants++;
      if (isAccepted(mutant.text)) result.accepted.push(`${mutant.how}: ${mutant.text}`);
    }
  }
  return result;
}

function isAccepted(text: string): boolean {
  try {
    assertTenantScoped(text);
    return true;
  } catch {
    return false;
  }
}

/** The number of recorded statements of each kind, the reasons why some span tenants, and the violations. */
export function checkStatements(folder: string) {
  const tenantsOf = recordedIn(folder);
  const counts = { 'one tenant': 0, 'no tenant': 0, 'across tenants': 0 };
  const reasons = new Set<string>();
  const wrong: string[] = [];
  for (const [text, tenants] of tenantsOf) {
    const verdict = assertTenantScoped(text);
    counts[verdict.kind]++;
    // Statements that tests run directly do not belong to the service.
    if (verdict.kind === 'across tenants') {
      if (!verdict.why.startsWith('a test ')) reasons.add(verdict.why);
    } else if (tenants > 1) wrong.push(text);
  }
  return { counts, reasons: [...reasons].sort(), wrong };
}
