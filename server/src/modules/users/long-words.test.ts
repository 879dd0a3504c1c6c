import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { forTenant } from '../../platform/db/queues.ts';

const service = await startService();
after(service.close);

async function indexed(TenantID: string) {
  const { db } = forTenant(service.ctx, TenantID);
  return db.selectFrom('user_word').select(['word', 'words']).where('tenant_id', '=', TenantID).execute();
}

// U+FDFA, which decomposes into 18 characters and four words.
const expanding = '\ufdfa';

test('a name takes little space in the index, even if its characters decompose into many', async () => {
  const { api, user, TenantID } = await newTenant(service);
  const start = Array.from({ length: 23 }, (_, at) => `w${at}`).join(' ');
  const LastName = `${start} ${expanding.repeat(50)}`;
  await user({ LastName, FirstName: expanding.repeat(56) });
  const rows = await indexed(TenantID);
  assert.ok(rows.length <= 24);
  const bytes = rows.reduce((sum, { words }) => sum + Buffer.byteLength(words), 0);
  assert.ok(bytes <= 24 * 1_010, `${bytes} bytes`);
  const found = await api('GET', '/user?Search=w15');
  expectStatus(found, 200);
  assert.equal(found.body.Items.length, 1);
});

test('the words of long names can be found, and disappear when the name changes', async () => {
  const { api, user, TenantID } = await newTenant(service);
  const LastName = Array.from({ length: 12 }, (_, at) => `Müller${at}`)
    .join(' ')
    .repeat(2);
  const LoginID = await user({ LastName, FirstName: 'É'.repeat(200) });
  const search = async (words: string) =>
    (await api('GET', `/user?Search=${encodeURIComponent(words)}`)).body.Items.length;
  assert.equal(await search('muller3 muller6'), 1);
  assert.equal(await search('ee'.repeat(50)), 1);
  expectStatus(await api('PUT', `/user/${LoginID}`, { LastName: 'Short', FirstName: 'Name' }), 200);
  assert.equal(await search('muller3'), 0);
  assert.ok(!(await indexed(TenantID)).some(({ word }) => word.startsWith('muller')));
});

test('only the beginning of a text that is not ASCII is folded', async () => {
  const { rows } = await service.ctx.engine.query<{ words: string }>({
    text: `/* across tenants: a test calls a function */
      select user_words(repeat(letter, 255), null, 'a', null) as words from unnest($1::text[]) letter
      union select user_words(repeat(letter, 64), null, 'a', null) from unnest($1::text[]) letter`,
    values: [['é ', '한 ', expanding, 'a\u0301\u0323']],
  });
  assert.equal(rows.length, 4);
  for (const { words } of rows) assert.ok(words.length <= 132, words);
});
