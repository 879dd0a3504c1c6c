import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import type { Statement } from '../../db/engine/engine.ts';

const sizes: number[] = [];
const service = await startService({
  over: (engine) => {
    const noted = ({ text, values }: Statement) => {
      if (/\bcreate_user_(?!each)/.test(text)) sizes.push(JSON.parse(String(values[1])).length);
    };
    return {
      ...engine,
      query: (statement, queue) => {
        noted(statement);
        return engine.query(statement, queue);
      },
      transaction: (work, queue) =>
        engine.transaction(
          (connection) =>
            work({
              ...connection,
              query: (statement) => {
                noted(statement);
                return connection.query(statement);
              },
            }),
          queue,
        ),
    };
  },
});
after(service.close);

/** Words of two letters: 24 of them are indexed, each with all others. */
const words = (from: string) => Array.from({ length: 85 }, (_, n) => `${from}${n % 10}`).join(' ');

for (const headers of [{}, { 'idempotency-key': 'long texts' }])
  test(`a statement creates or changes few users with long texts: ${JSON.stringify(headers)}`, async () => {
    const { api } = await newTenant(service);
    const change = async (text: string, n: number) => {
      sizes.length = 0;
      const rows = Array.from({ length: 60 }, (_, at) =>
        JSON.stringify({ LoginID: `long-${at}`, FirstName: text, LastName: text, IfExists: 'update' }),
      ).join('\n');
      const keyed = Object.entries(headers).map(([name, value]) => [name, `${value} ${n}`]);
      const type = { 'content-type': 'application/x-ndjson', ...Object.fromEntries(keyed) };
      const { body } = await api('POST', '/user/bulk', rows, type);
      const lines = String(body).trim().split('\n');
      assert.equal(lines.filter((line) => /"Status":20[01]/.test(line)).length, 60, lines[0]);
      return Math.max(...sizes);
    };
    assert.equal(await change('Anna', 0), 60);
    for (const [n, letter] of ['a', 'b'].entries()) assert.ok((await change(words(letter), n + 1)) <= 32);
    assert.equal(await change('Anna', 3), 60);
  });
