import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { lossesBetween, type OpenApi, type Schema } from './losses.ts';

const user: Schema = {
  type: 'object',
  required: ['LoginID'],
  properties: {
    LoginID: { type: 'string', maxLength: 255 },
    Status: { type: 'string', enum: ['active', 'disabled'] },
    Groups: { type: 'array', items: { type: 'object', properties: { Name: { type: 'string' } } } },
  },
};

function documentWith(operation: object, more: object = {}): OpenApi {
  return { paths: { '/user/{LoginID}': { put: operation } }, ...more } as OpenApi;
}

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const operation = {
  operationId: 'updateUser',
  'x-scope': 'users:write',
  parameters: [{ in: 'path', name: 'LoginID', required: true, schema: { type: 'string' } }],
  requestBody: json(user),
  responses: { 200: json(user), 404: {} },
};
const before = documentWith(operation);

test('replacing repetitions with references loses nothing', () => {
  const reference = { $ref: '#/components/schemas/User' };
  const after = documentWith(
    {
      ...operation,
      requestBody: json(reference),
      responses: { 200: json({ allOf: [reference] }), 404: { $ref: '#/components/responses/Missing' } },
    },
    { components: { schemas: { User: user }, responses: { Missing: {} } } },
  );
  assert.deepEqual(lossesBetween(before, after), []);
  assert.notDeepEqual(lossesBetween(after, documentWith({ ...operation, responses: {} })), []);
});

test('additional operations, statuses, fields and optional parameters are not losses', () => {
  const wider = { ...user, properties: { ...user.properties, Email: { type: 'string' } } };
  const after = documentWith({
    ...operation,
    parameters: [...operation.parameters, { in: 'query', name: 'plan', schema: { type: 'boolean' } }],
    requestBody: json(wider),
    responses: { ...operation.responses, 200: json(wider), 409: {} },
  });
  after.paths['/group'] = { get: {} };
  assert.deepEqual(lossesBetween(before, after), []);
});

const field = (name: string, schema: Schema | undefined) => {
  const { [name]: _, ...others } = user.properties ?? {};
  return { ...user, properties: schema ? { ...others, [name]: schema } : others };
};

test('everything that a client would lose is reported', () => {
  const cases: [object, string][] = [
    [{ ...operation, responses: { 200: json(user) } }, 'the status 404 is gone'],
    [{ ...operation, 'x-scope': 'users:admin' }, 'x-scope was users:write'],
    [{ ...operation, parameters: [] }, 'the path parameter LoginID is gone'],
    [{ ...operation, responses: { ...operation.responses, 200: {} } }, 'application/json is gone'],
    [{ ...operation, requestBody: json(field('Groups', undefined)) }, 'the field Groups is gone'],
    [
      { ...operation, requestBody: json(field('LoginID', { type: 'string', maxLength: 64 })) },
      'maxLength is 64 now',
    ],
    [
      { ...operation, requestBody: json({ ...user, required: ['LoginID', 'Status'] }) },
      'Status is now required',
    ],
    [
      {
        ...operation,
        responses: {
          ...operation.responses,
          200: json(field('Status', { type: 'string', enum: ['active'] })),
        },
      },
      'the value disabled is gone',
    ],
    [
      {
        ...operation,
        responses: {
          ...operation.responses,
          200: json(field('Groups', { type: 'array', items: { type: 'object' } })),
        },
      },
      'Groups[]: the field Name is gone',
    ],
  ];
  for (const [changed, loss] of cases) {
    const losses = lossesBetween(before, documentWith(changed));
    assert.ok(
      losses.some((one) => one.includes(loss)),
      `${loss}: ${losses.join('; ')}`,
    );
  }
  assert.deepEqual(lossesBetween(before, { paths: {} }), ['PUT /user/{LoginID}: the operation is gone']);
});

test('our own document has no losses compared with itself', () => {
  const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  assert.deepEqual(lossesBetween(document, document), []);
});
