import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { type FaultyNode, faultyNode, type When } from './support/faults.ts';
import { calls, observed, otherNode, serve } from './support/nodes.ts';
import { startService } from './support/service.ts';
import { newCourse, newTenant, type TestTenant, unique } from './support/tenant.ts';

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const tenant = await newTenant(service);
const course = await newCourse(service, {}, { month: { Duration: 'P30D' } });
const faulty = faultyNode(otherNode(service.ctx));
const node = await serve(faulty.ctx);
after(async () => {
  await node.close();
  await service.close();
});

type Verb = {
  name: string;
  /**
   * Creates the data for the request. Returns the request and a function that counts how often the request
   * took effect.
   */
  prepare: (tenant: TestTenant) => Promise<{ request: InjectOptions; effects: () => Promise<number> }>;
};

const day = 86_400_000;

const extend = (path: (login: string) => string): Verb['prepare'] => {
  return async ({ user, api }) => {
    const LoginID = await user();
    const { body: first } = await api('POST', `/enrol/${LoginID}/${course}`);
    return {
      request: { url: path(LoginID), payload: { IfEnrolled: 'extend' } },
      effects: async () => {
        const { body } = await api('GET', `/enrolment/${LoginID}/${first.EnrollID}`);
        const moved = Date.parse(body.ExpiresAt) - Date.parse(first.ExpiresAt);
        const reported = (await tenant.events({ LoginID })).filter(
          ({ type }) => type === 'enrolment.extended',
        );
        assert.equal(reported.length, moved / (30 * day), 'one event for each extension');
        return moved / (30 * day);
      },
    };
  };
};

const verbs: Verb[] = [
  { name: 'extend', prepare: extend((login) => `/enrol/${login}/${course}`) },
  { name: 'extend with an option', prepare: extend((login) => `/enrol/${login}/${course}/month`) },
  {
    name: 'renew',
    prepare: async ({ user, api }) => {
      const LoginID = await user();
      await api('POST', `/enrol/${LoginID}/${course}`);
      return {
        request: { url: `/enrol/${LoginID}/${course}`, payload: { IfEnrolled: 'renew' } },
        effects: async () => (await api('GET', `/enrolment/${LoginID}`)).body.Items.length - 1,
      };
    },
  },
  {
    name: 'update a user',
    prepare: async ({ user, events }) => {
      const LoginID = await user();
      return {
        // Setting the same password again counts as another update.
        request: { url: '/user', payload: { LoginID, IfExists: 'update', Password: 'new' } },
        effects: async () => (await events({ LoginID })).filter(({ type }) => type === 'user.updated').length,
      };
    },
  },
  {
    name: 'create a webhook endpoint',
    prepare: async ({ api }) => {
      const URL = `http://127.0.0.1:9/${unique('hook')}`;
      return {
        request: { url: '/webhook', payload: { URL } },
        effects: async () =>
          (await api('GET', '/webhook?Limit=200')).body.Items.filter(
            (hook: { URL: string }) => hook.URL === URL,
          ).length,
      };
    },
  },
  {
    name: 'issue enrolment keys',
    prepare: async ({ api }) => {
      const PurchaseOrder = unique('order');
      return {
        request: {
          url: '/enrolment/key',
          payload: { CourseIDs: [course], DurationIDs: ['month'], Quantity: 2, PurchaseOrder },
        },
        effects: async () =>
          (await api('GET', `/enrolment/key?PurchaseOrder=${PurchaseOrder}`)).body.Items.length / 2,
      };
    },
  },
];

async function send(to: { api: (typeof node)['api'] }, request: InjectOptions, key: string) {
  const headers = { authorization: `Bearer ${tenant.key}`, 'idempotency-key': key };
  const answer = await to.api.inject({ method: 'POST', ...request, headers });
  return { status: answer.statusCode, code: answer.json().code, body: answer.json() };
}

/** Sends the request with the fault, and then retries it until there is a response, as clients do. */
async function attempt(verb: Verb, fault: { step: number; when: When } | null): Promise<FaultyNode['steps']> {
  const { request, effects } = await verb.prepare(tenant);
  const key = unique('key');
  faulty.arm(fault);
  const first = await send(node, request, key);
  const { steps } = faulty;
  faulty.arm(null);
  const again = await send(node, request, key);
  const label = fault ? `${fault.when} ${steps[fault.step]}` : 'no fault';
  assert.ok(again.status < 300, `${label}: ${JSON.stringify(again.body)}`);
  assert.equal(await effects(), 1, label);
  if (first.status < 300) assert.deepEqual(again.body, first.body, label);
  return steps;
}

for (const verb of verbs)
  test(`${verb.name}, retried after the database connection is lost at any point, runs exactly once`, async () => {
    await attempt(verb, null);
    const steps = await attempt(verb, null);
    for (const step of steps.keys())
      for (const when of ['before', 'after'] as const) await attempt(verb, { step, when });
  });

test('a row that fails in the database fails alone, and calls with keys in the same statement run once', async () => {
  const logins = await Promise.all(Array.from({ length: 24 }, () => tenant.user()));
  const poison = logins[7] ?? '';
  const broken = failing(otherNode(service.ctx), poison);
  const other = await serve(broken.ctx);
  const enrol = (LoginID: string) =>
    send(other, { url: `/enrol/${LoginID}/${course}`, payload: {} }, `poison ${LoginID}`);
  const first = await Promise.all(logins.map(enrol));
  assert.deepEqual(
    first.map(({ status }) => status),
    logins.map((LoginID) => (LoginID === poison ? 500 : 201)),
  );
  broken.heal();
  const again = await Promise.all(logins.map(enrol));
  for (const [at, { status, body }] of again.entries()) {
    assert.equal(status, 201);
    if (logins[at] !== poison) assert.equal(body.EnrollID, first[at]?.body.EnrollID);
  }
  await other.close();
});

test('retrying a bulk call in which one row failed extends the other enrolments once', async () => {
  const logins = await Promise.all(Array.from({ length: 5 }, () => tenant.user()));
  for (const LoginID of logins) await tenant.api('POST', `/enrol/${LoginID}/${course}`);
  const broken = failing(otherNode(service.ctx), logins[2] ?? '');
  const other = await serve(broken.ctx);
  const payload = logins
    .map((LoginID) => JSON.stringify({ LoginID, CourseID: course, IfEnrolled: 'extend' }))
    .join('\n');
  const call = async () => {
    const headers = {
      authorization: `Bearer ${tenant.key}`,
      'idempotency-key': `bulk ${logins[0]}`,
      'content-type': 'application/x-ndjson',
    };
    const answer = await other.api.inject({ method: 'POST', url: '/enrol/bulk', payload, headers });
    return answer.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).Status);
  };
  assert.deepEqual(await call(), [200, 200, 500, 200, 200]);
  broken.heal();
  assert.deepEqual(await call(), [200, 200, 200, 200, 200]);
  for (const LoginID of logins) assert.equal(await extensions(LoginID), 1);
  await other.close();
});

/** A context whose database rejects the rows of one user. */
function failing(ctx: typeof service.ctx, poison: string) {
  let isBroken = true;
  const broken = observed(ctx, (statement) => {
    if (isBroken && calls(statement, 'enrol') && String(statement.values[1]).includes(`"${poison}"`))
      throw new Error('A poison row.');
  });
  return {
    ctx: broken,
    heal: () => {
      isBroken = false;
    },
  };
}

async function extensions(LoginID: string): Promise<number> {
  return (await tenant.events({ LoginID })).filter(({ type }) => type === 'enrolment.extended').length;
}

const fault = fc.option(fc.record({ step: fc.nat(5), when: fc.constantFrom<When>('before', 'after') }), {
  nil: null,
});
const plan = fc.record({
  /** For each request: its key, its node, and its delay in milliseconds. */
  requests: fc.array(fc.record({ key: fc.nat(3), node: fc.nat(1), delay: fc.nat(6) }), {
    minLength: 2,
    maxLength: 12,
  }),
  faults: fc.tuple(fault, fault),
});

test('each Idempotency-Key extends access once and gets one response, in any order of requests and faults on two nodes', async () => {
  const second = faultyNode(otherNode(service.ctx));
  const other = await serve(second.ctx);
  const nodes = [
    { faulty, api: node.api },
    { faulty: second, api: other.api },
  ];
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(plan, async ({ requests, faults }) => {
      const run = ++runs;
      const LoginID = await tenant.user();
      await tenant.api('POST', `/enrol/${LoginID}/${course}`);
      const request = { url: `/enrol/${LoginID}/${course}`, payload: { IfEnrolled: 'extend' } };
      for (const [at, { faulty }] of nodes.entries()) faulty.arm(faults[at] ?? null);
      const responses = await Promise.all(
        requests.map(async ({ key, node, delay }) => {
          await pause(delay);
          return { key, ...(await send(nodes[node] as (typeof nodes)[0], request, `${run} ${key}`)) };
        }),
      );
      for (const { faulty } of nodes) faulty.arm(null);
      const keys = new Set(requests.map(({ key }) => key));
      for (const key of keys)
        responses.push({
          key,
          ...(await send(nodes[run % 2] as (typeof nodes)[0], request, `${run} ${key}`)),
        });
      assert.equal(await extensions(LoginID), keys.size);
      for (const key of keys) {
        const done = responses.filter((answer) => answer.key === key && answer.status < 300);
        assert.equal(new Set(done.map(({ body }) => JSON.stringify(body))).size, 1);
      }
      for (const { status, code } of responses)
        assert.ok(
          status < 300 || ['in_progress', 'unavailable'].includes(code),
          `unexpected response ${status} ${code}`,
        );
    }),
    { numRuns: 40 },
  );
  await other.close();
});
