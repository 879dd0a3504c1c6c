import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { toCursor } from '../../platform/http/pagination.ts';

let folding: string[] = [];
const service = await startService({
  over: (engine) => ({
    ...engine,
    query: (statement, queue) => {
      if (/user_words\(|folded_text\(/.test(statement.text)) folding.push(statement.text);
      return engine.query(statement, queue);
    },
  }),
});
after(service.close);

const loginsOf = (reply: { body: { Items: { LoginID: string }[] } }) =>
  reply.body.Items.map(({ LoginID }) => LoginID);

test('the first 40 characters of a word are compared, but the user with exactly this LoginID comes first', async () => {
  const { api } = await newTenant(service);
  const same = 'n'.repeat(40);
  const logins = ['a', 'b', 'c'].map((end) => same + end.repeat(20));
  for (const LoginID of logins) expectStatus(await api('POST', '/user', { LoginID }), 201);
  const [, second] = logins;
  const found = loginsOf(await api('GET', `/user?Search=${second}`));
  assert.equal(found[0], second);
  assert.deepEqual(found.sort(), logins);
  assert.deepEqual(loginsOf(await api('GET', `/user?Search=${same.slice(1)}m`)), []);
});

test('a search compares stored words and computes none', async () => {
  const { api, user } = await newTenant(service);
  const words = Array.from({ length: 10 }, (_, n) => `w${n}`).join(' ');
  const LoginID = await user({ LastName: words, GroupName: 'g' });
  expectStatus(await api('POST', `/enrol/${LoginID}/${await newCourse(service)}`), 201);
  const forged = toCursor('["!"]');
  const paths = [
    `/user?Search=${words}`,
    `/user?Search=${words}&GroupName=g`,
    `/user?Search=${words}&Cursor=${forged}`,
    `/enrolment?Search=${words}`,
  ];
  const search = async () => {
    folding = [];
    const found = [];
    for (const path of paths) {
      const reply = await api('GET', path);
      expectStatus(reply, 200);
      found.push(loginsOf(reply).length);
    }
    assert.deepEqual(folding, []);
    return found;
  };
  for (const path of ['/user', '/enrolment'])
    expectProblem(await api('GET', `${path}?Search=${words} ten`), 422, 'validation_failed', 'Search');
  assert.deepEqual(await search(), [1, 1, 1, 1]);
});
