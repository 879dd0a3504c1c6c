import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { toCursor } from '../../platform/http/pagination.ts';

let searches = 0;
let folding: string[] = [];
const service = await startService({
  over: (engine) => ({
    ...engine,
    query: (statement, queue) => {
      if (statement.text.includes('user_word held')) searches++;
      if (/user_words\(|folded_text\(/.test(statement.text)) folding.push(statement.text);
      return engine.query(statement, queue);
    },
  }),
});
after(service.close);

test('a search with more than 40 characters finds the right user, in batches, among many whose words begin with the same characters', async () => {
  const { TenantID, api, user } = await newTenant(service);
  const same = 'n'.repeat(70);
  await sql`insert into "user" (tenant_id, user_id, login_id, last_name, password_hash, enabled, created_at, updated_at)
    select ${TenantID}, gen_random_uuid(), 'alike-' || n, ${same} || 'a', 'x', true, now(), now()
    from generate_series(1, 2000) n`.execute(service.ctx.db);
  const LoginID = await user({ LastName: `${same}z` });
  const { body } = await api('GET', `/user?Search=${same}z`);
  assert.deepEqual(
    body.Items.map((one: { LoginID: string }) => one.LoginID),
    [LoginID],
  );
  // A statement visits 200 users, because it may have to fold the texts of each.
  assert.ok(searches >= 10, `It took ${searches} statements.`);
});

test("a user's words are computed at most once for each row, however many words the search has", async () => {
  const { TenantID, api } = await newTenant(service);
  const words = Array.from({ length: 10 }, (_, n) => `w${n}`).join(' ');
  const search = async () => {
    folding = [];
    const paths = ['/user', '/enrolment'].map((path) => `${path}?Search=${words}`);
    const forged = [`${paths[0]}&Cursor=${toCursor('["!"]')}`];
    for (const path of [...paths, ...forged]) expectStatus(await api('GET', path), 200);
    for (const text of folding) {
      assert.ok(text.split('user_words(').length <= 2, text);
      assert.ok(text.split('folded_text(').length <= 5, text);
    }
  };
  for (const path of ['/user', '/enrolment'])
    expectProblem(await api('GET', `${path}?Search=${words} ten`), 422, 'validation_failed', 'Search');
  await search();
  // As during an upgrade, while a job adds words to earlier users.
  await sql`insert into user_word_fill (tenant_id, position) values (${TenantID}, gen_random_uuid())`.execute(
    service.ctx.db,
  );
  await search();
  assert.ok(folding.length > 0);
});
