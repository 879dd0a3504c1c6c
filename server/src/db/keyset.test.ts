import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../test/support/service.ts';
import { newTenant } from '../../test/support/tenant.ts';
import { pageBytes, pagesOf } from './page.ts';
import { forTenant, run } from './transaction.ts';

const service = await startService();
after(service.close);
const { TenantID } = await newTenant(service);
const ctx = forTenant(service.ctx, TenantID);

/** Adds attachments of these sizes, in this order. */
async function attach(sizes: readonly number[]): Promise<void> {
  const text = `insert into statement_attachment (tenant_id, statement_id, sha2, content_type, content)
    select $1, '01970000-0000-7000-8000-000000000001', lpad(n::text, 4, '0'), 'text/plain', convert_to(repeat('x', size), 'utf8')
    from unnest($2::integer[]) with ordinality as given (size, n)`;
  await run(ctx, text, [TenantID, sizes]);
}

test('a page of rows with known sizes ends after the row that exceeds the byte limit', async () => {
  const small = Array.from({ length: 450 }, () => 10);
  const sizes = [...small, pageBytes / 2, pageBytes / 2, 10, 3 * pageBytes, 10, ...small];
  await attach(sizes);
  const keyset = {
    table: 'statement_attachment',
    key: ['statement_id', 'sha2'],
    rows: 200,
    bytes: 'octet_length(held.content)',
  };
  const pages: number[] = [];
  const found: number[] = [];
  const columns = new Set<string>();
  for await (const page of pagesOf<{ content: Buffer }>(ctx, keyset)) {
    pages.push(page.length);
    for (const row of page) {
      found.push(row.content.length);
      for (const name of Object.keys(row)) columns.add(name);
    }
  }
  assert.deepEqual(found, sizes);
  assert.deepEqual(pages, [200, 200, 52, 2, 200, 200, 51]);
  assert.deepEqual([...columns].sort(), ['content', 'content_type', 'sha2', 'statement_id', 'tenant_id']);
});
