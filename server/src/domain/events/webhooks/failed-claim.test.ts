import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../../test/support/tenant.ts';
import { newId } from '../../../lib/ids.ts';
import { claimEndpoints } from './claim.ts';
import { eventSource } from './event-source.ts';

let failing: string | null = null;
const service = await startService({
  over: (engine) => ({
    ...engine,
    query: (statement, queue) => {
      if (statement.text.startsWith('\nwith free as (') && statement.values[0] === failing)
        throw new Error('a statement of this tenant fails');
      return engine.query(statement, queue);
    },
  }),
});
after(service.close);

test("if one tenant's endpoints cannot be claimed, those of other tenants are", async () => {
  const endpoints: { tenant: string; id: string }[] = [];
  for (let n = 0; n < 3; n++) {
    const { TenantID, api, user } = await newTenant(service);
    const made = await api('POST', '/webhook', { URL: 'https://93.184.216.34/' });
    expectStatus(made, 201);
    endpoints.push({ tenant: TenantID, id: made.body.WebhookID });
    await user();
  }
  failing = endpoints[1]?.tenant ?? '';
  const claimed = await claimEndpoints(service.ctx, {
    owner: newId(service.ctx.now()),
    max: 100,
    sources: { events: eventSource },
  });
  const ids = claimed.map(({ webhook_id }) => webhook_id);
  assert.deepEqual(
    endpoints.map(({ id }) => ids.includes(id)),
    [true, false, true],
  );
});
