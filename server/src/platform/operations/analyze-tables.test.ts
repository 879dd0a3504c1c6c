import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../test/support/tenant.ts';
import { enrolFunction } from '../../modules/enrolments/enrol-function.ts';
import type { EnrolRow } from '../../modules/enrolments/enrol-row.ts';
import { isDistributed } from '../db/distribute.ts';
import type { Connection } from '../db/engine.ts';
import { newId } from '../ids.ts';
import { analyzeGrown } from './analyze-tables.ts';

const service = await startService();
after(() => service.close());
const { ctx } = service;

const fill = `insert into "user" (tenant_id, user_id, login_id, password_hash, created_at, updated_at)
select $1, gen_random_uuid(), 'learner ' || n, 'random:', now(), now() from generate_series(1, 5000) n`;
const enrolAll = `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at)
select tenant_id, gen_random_uuid(), user_id, $2, 'standard', 'enrolment', now(), now() from "user"
where tenant_id = $1 and login_id like 'learner %'`;

/** Table scans in the current transaction, which the embedded database counts as a server does. */
type Scans = { name: string; whole: number; by_index: number };
const scansText = `select relname as name, seq_scan::integer as whole, idx_scan::integer as by_index
from pg_stat_xact_user_tables where relname in ('enrolment', 'user') order by relname`;

test('a query plan made for empty tables is replaced once they have grown', {
  skip: (await isDistributed(ctx.engine)) && 'on Citus, autovacuum analyses the shards',
}, async () => {
  const tenant = await newTenant(service);
  const course = await newCourse(service);
  const row: EnrolRow & { n: number } = {
    n: 0,
    enroll_id: newId(ctx.now()),
    first_event: newId(ctx.now()),
    second_event: newId(ctx.now()),
    login_id: 'learner 1',
    course_id: course,
    duration_id: null,
    if_enrolled: 'return',
    expires_at: null,
    reference: null,
    metadata: null,
  };
  const values = [tenant.TenantID, JSON.stringify([row]), ctx.now(), true, null];
  const text = `select n from ${enrolFunction.name}($1, $2, $3, $4, $5)`;
  const enrol = (connection: Connection) => connection.query({ name: 'kept_plan', text, values });
  /** Counts the scans that one execution causes in this transaction. */
  const scans = async (connection: Connection) => {
    const read = async () => (await connection.query<Scans>({ text: scansText, values: [] })).rows;
    const before = await read();
    await enrol(connection);
    const after = await read();
    return after.map(({ name, whole, by_index }, at) => ({
      name,
      whole: whole - (before[at]?.whole ?? 0),
      by_index: by_index - (before[at]?.by_index ?? 0),
    }));
  };
  const grow = async () => {
    await ctx.engine.query({ text: fill, values: [tenant.TenantID] });
    await ctx.engine.query({ text: enrolAll, values: [tenant.TenantID, course] });
    assert.deepEqual((await analyzeGrown(ctx)).sort(), ['enrolment', 'user', 'user_word']);
    assert.deepEqual(await analyzeGrown(ctx), [], 'nothing has grown since');
  };
  // On a server, each of several connections has its own plans. The embedded database has one connection.
  const after = await (ctx.engine.kind === 'pglite'
    ? (async () => {
        for (let time = 0; time < 7; time++) await enrol(ctx.engine);
        await grow();
        return ctx.engine.transaction(scans);
      })()
    : ctx.engine.transaction(async (connection) => {
        for (let time = 0; time < 7; time++) await enrol(connection);
        await grow();
        return scans(connection);
      }));
  assert.deepEqual(after, [
    { name: 'enrolment', whole: 0, by_index: 2 },
    { name: 'user', whole: 0, by_index: 1 },
  ]);
});
