import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { allPersonalData } from './all-personal-data.ts';

const service = await startService();
after(service.close);

/** Tenants' tables without personal data, with the reasons. */
const impersonal: Record<string, string> = {
  stored_answer: 'erased by eraseStoredResponses; encrypted by what the client sent, gone after 24 hours',
  audit_chain: 'the last hash of a trail',
  day_count: 'numbers of a day',
  counted_log: 'how far the log is counted',
  event_log: 'where the log ends',
  mail_queue: 'when the next e-mail is due',
  reminder_progress: 'up to which end learners have been reminded',
  user_word_fill: 'how far the search index is filled',
  statement_log: 'when the newest statement was stored',
  activity_definition: 'what activities are called',
};

test('erasure covers every tenant table', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id' and is_nullable = 'NO'`.execute(
    service.ctx.db,
  );
  const known = new Set([
    ...allPersonalData.flatMap(({ tables }) => tables),
    ...Object.keys(impersonal),
    'tenant',
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !known.has(name)),
    [],
    'Say in a personal-data.ts what an erasure does to it, or here why nothing.',
  );
});
