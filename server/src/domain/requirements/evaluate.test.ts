import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  type Case,
  caseOf,
  certifiedUntil,
  type Expected,
  type Happening,
  localDay,
  model,
} from '../../../test/support/requirements.ts';
import type { Completion, evaluate as Evaluate, ObligationRow } from './evaluate.ts';
import { evaluate } from './evaluate.ts';
import { obligationStatusAt } from './status.ts';

/** What `PUT /obligation` stores: the latest open cycle is exempt, and earlier ones are closed. */
function exempted(rows: readonly ObligationRow[], now: Date, until: Date): ObligationRow[] {
  const present = rows.findLast(({ closed_at }) => closed_at === null);
  return rows.map((row) => {
    if (row === present)
      return { ...row, exempt_at: row.exempt_at ?? now, exempt_until: until, follows: false };
    return row.closed_at === null ? { ...row, closed_at: now, closed_reason: 'exempt' } : row;
  });
}

/**
 * What the service stores if it evaluates after everything that happened and at each `next_change_at`, and what it
 * shows at other times.
 */
function difference(own: typeof Evaluate, given: Case): string | null {
  const { rule, certificate, zone, happenings, looks } = given;
  let rows: ObligationRow[] = [];
  let ids = 0;
  const completions: Completion[] = [];
  const happened: Happening[] = [];
  let isMember = false;
  const identify = () => ({ obligation_id: String(++ids), requirement_id: 'x', user_id: 'x' });
  const look = (now: Date) => {
    if (isMember || rows.some(({ closed_at }) => closed_at === null))
      rows = own({ rule, zone, now, isMember, rows, completions, identify });
  };
  const nextChange = () =>
    Math.min(...rows.flatMap(({ next_change_at: at }) => (at === null ? [] : [at.getTime()])));
  const sorted = (some: Expected[]) =>
    some
      .map(({ status, due, end }) => `${status} ${due} ${end}`)
      .sort()
      .join('\n');
  for (const time of [...new Set([...looks, ...happenings.map(({ at }) => at)])].sort((a, b) => a - b)) {
    for (let steps = 0, at = nextChange(); at <= time; at = nextChange()) {
      if (++steps > 1000) return 'The next change never comes.';
      look(new Date(at));
    }
    const now = new Date(time);
    const one = happenings.find(({ at }) => at === time);
    if (one) {
      happened.push(one);
      if (one.what === 'complete')
        completions.push({
          ...{ id: String(time), external: false, at: now, voided: false },
          certified: certifiedUntil(certificate, time, zone),
        });
      else if (one.what === 'exempt') {
        if (isMember) rows = exempted(rows, now, new Date(one.until ?? time));
      } else isMember = one.what === 'join';
      look(now);
    }
    const found = rows.map((row) => ({
      status: obligationStatusAt(row, now),
      due: localDay(row.due_at.getTime(), zone),
      end: row.valid_until === null ? null : localDay(row.valid_until.getTime(), zone),
    }));
    const [expected, actual] = [sorted(model(given, happened, time)), sorted(found)];
    if (expected !== actual)
      return `${now.toISOString()} ${zone} ${certificate} ${JSON.stringify(rule)}\n${JSON.stringify(
        happened.map(({ at, what }) => `${new Date(at).toISOString()} ${what}`),
      )}\nexpected\n${expected}\nfound\n${actual}`;
  }
  return null;
}

const runs = Number(process.env['REQUIREMENT_RUNS'] ?? 300);

test('ten years of random requirements, joins, leaves and completions agree with a model', () => {
  for (let seed = 1; seed <= runs; seed++)
    assert.equal(difference(evaluate, caseOf(seed)), null, `seed ${seed}`);
});

const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
after(() => rmSync(folder, { recursive: true }));

type Mutated = 'evaluate' | 'terms' | 'status';

/** The evaluation with one change in its source. */
async function mutant(n: number, file: Mutated, from: string, to: string): Promise<typeof Evaluate> {
  const sources = new Map<string, string>();
  for (const name of ['evaluate', 'terms', 'status'] as const) {
    let text = readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8');
    if (name === file) {
      assert.ok(text.includes(from), `${from} is not in ${file}.ts`);
      text = text.replace(from, to);
    }
    const lib = pathToFileURL(join(import.meta.dirname, '../../lib/days.ts')).href;
    text = text.replaceAll(`'../../lib/days.ts'`, `'${lib}'`);
    sources.set(name, text.replaceAll(/'\.\/(evaluate|terms|status)\.ts'/g, `'./$1-${n}.ts'`));
  }
  for (const [name, text] of sources) writeFileSync(join(folder, `${name}-${n}.ts`), text);
  const url = pathToFileURL(join(folder, `evaluate-${n}.ts`)).href;
  return ((await import(url)) as { evaluate: typeof Evaluate }).evaluate;
}

const mutants: readonly (readonly [Mutated, string, string])[] = [
  ['terms', 'addPeriods(start, rule.ValidFor, terms)', 'addPeriods(start, rule.ValidFor, 1)'],
  ['terms', 'certified : lastSecond(end, zone)', 'certified : firstInstant(end, zone)'],
  ['terms', 'addDays(day, -rule.DueSoonDays)', 'addDays(day, 1 - rule.DueSoonDays)'],
  ['terms', 'addDays(end, -rule.ExpiringDays), zone', 'addDays(end, -rule.ExpiringDays), "UTC"'],
  ['terms', 'addPeriods(end, rule.Window, -1)', 'addPeriods(start, rule.Window, 1)'],
  ['terms', 'isInWindow ? 0 : 1', '1'],
  ['terms', 'own ?? (certified && dayOf(certified, zone))', 'own'],
  ['terms', ' || wanted > start', ''],
  ['evaluate', 'metOn: day, certified }', 'metOn: day, certified: null }'],
  ['terms', 'due_at: lastSecond(day, zone)', 'due_at: lastSecond(addDays(day, 1), zone)'],
  ['evaluate', 'found.at <= previous.valid_until', 'true'],
  ['evaluate', 'previous.term + 1', 'previous.term'],
  ['evaluate', `rule.CountsFrom === 'expiry'`, `rule.CountsFrom !== 'expiry'`],
  ['evaluate', 'earlier.at(-1)', 'earlier.at(0)'],
  ['evaluate', 'valid_until >= row.opened_at', 'true'],
  ['evaluate', 'from === null || at >= from', 'true'],
  ['evaluate', 'const since = rows[0]?.opened_at ?? now;', 'const since = now;'],
  ['evaluate', 'opens > now', 'current.valid_until! > now'],
  ['evaluate', 'row.left_at = null;', ''],
  ['status', 'exempt_until < now', 'exempt_until <= new Date(now.getTime() + 86_400_000)'],
  ['evaluate', 'return afterLastSecond(row.exempt_until)', 'return null'],
];

for (const [n, [file, from, to]] of mutants.entries())
  test(`the model finds a mutant of ${file}: ${from}`, async () => {
    const own = await mutant(n, file, from, to);
    const found = Array.from({ length: 600 }, (_, seed) => seed + 1).some(
      (seed) => difference(own, caseOf(seed)) !== null,
    );
    assert.ok(found);
  });
