import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { allPersonalData } from './all-personal-data.ts';

const service = await startService();
after(service.close);

/** Tenants' tables without personal data, with the reasons. */
const impersonal: Record<string, string> = {
  stored_answer:
    "erased by eraseStoredResponses; encrypted with the client's key and request, deleted after 24 hours",
  branding: 'colour and logo of a tenant',
  audit_chain: 'the last hash of a trail',
  tenant_key: 'keys of a tenant',
  certificate_log: 'how far the log has been read',
  certificate_image: 'the logo and the signatures of a tenant',
  certificate_template: 'texts and terms for everyone',
  completion_log: 'how far the log has been counted',
  completion_line: 'courses and groups in reports',
  completion_day: 'daily figures of reports',
  access_log: 'how far the log has been counted',
  access_end: 'when access ends, in reports',
  activity_log: 'how far the log has been counted',
  activity_day: 'daily counts of reports',
  tenant_usage: 'daily counts of usage',
  report_schedule: 'what is reported and when; the recipients are in report_recipient',
  event_log: 'where the log ends',
  mail_queue: 'when the next email is due',
  reminder_log: 'the day up to which people have been chosen',
  reminder_text: 'the words of reminders',
  statement_log: 'when the newest statement was stored',
  lti_nonce: 'random, kept for an hour',
  wallet_offer: 'a random code, valid for five minutes, and the certificate',
  dispatch: 'what is lent; the learners are in dispatch_learner',
  lti_context: 'courses of a platform',
  lti_platform: 'the configuration of a platform',
  lti_tool: 'the configuration of a tool',
  identity_provider: 'the configuration of a provider',
  provisioning: 'the settings of provisioning',
  scim_group: 'names of groups',
  requirement_log: 'how far the log has been followed',
  obligation_count: 'figures of reports, without a line for a manager who is nobody’s manager any more',
  path_log: 'how far the log has been followed',
  activity_definition: 'names and descriptions of activities',
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
    'Declare in a personal-data.ts what an erasure does to the table, or explain here why it does nothing.',
  );
});
