import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Environment,
  emptyDatabaseSettings,
  freePorts,
  printedLink,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { emptyServerDatabase } from './support/server-database.ts';

after(cleanUp);

async function statusWith(baseUrl: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${baseUrl}/tenant`, { headers });
  await response.text();
  return response.status;
}

/** Starts a service that must fail to start. Returns its output. */
async function refused(env: Environment): Promise<string> {
  const service = runLectern(['serve'], { DATA_DIR: await temporaryFolder(), ...env });
  const tooLong = setTimeout(() => service.child.kill('SIGKILL'), 180_000);
  const { code } = await service.exited;
  clearTimeout(tooLong);
  assert.equal(code, 1, service.stdout());
  assert.doesNotMatch(service.stderr(), /\n\s+at /, 'the error is one sentence, without a stack trace');
  return service.stderr();
}

const printed = /shown only once:\n\n {2}(lectern_[\w-]{43})\n/g;

test("only the first start on an empty database prints the operator's key and sign-in link", async () => {
  const empty = await emptyDatabaseSettings();
  const first = await startProcess(empty);
  const keys = [...first.stdout().matchAll(printed)];
  assert.equal(keys.length, 1, first.stdout());
  const key = keys[0]?.[1] ?? '';
  assert.equal(await statusWith(first.baseUrl, key), 200);
  const { url = '' } = printedLink.exec(first.stdout())?.groups ?? {};
  assert.equal((await fetch(url)).status, 200, 'the page of the link has a sign-in button');
  assert.deepEqual(await stopProcess(first), { code: 0, signal: null });

  const second = await startProcess(empty);
  assert.doesNotMatch(second.stdout(), /lectern_|shown only once|sign-in/);
  assert.equal(await statusWith(second.baseUrl, key), 200, 'the key still works');
  assert.deepEqual(await stopProcess(second, 'SIGINT'), { code: 0, signal: null });
});

test("BOOTSTRAP_KEY becomes the operator's key and is not printed, unlike the sign-in link", async () => {
  const empty = await emptyDatabaseSettings();
  const service = await startProcess({ ...empty, BOOTSTRAP_KEY: bootstrapKey });
  assert.equal(await statusWith(service.baseUrl, bootstrapKey), 200);
  assert.equal(await statusWith(service.baseUrl, bootstrapKey.replace('tests', 'guess')), 401);
  assert.ok(!`${service.stdout()}${service.stderr()}`.includes(bootstrapKey));
  assert.match(service.stdout(), printedLink);
  await stopProcess(service);
});

// The same function checks all other settings. They are tested in server/src/infra/context/config.test.ts.
for (const [name, value] of [
  ['PORT', 'eighty'],
  ['BASE_URL', 'https://name:word@lectern.example'],
] as const)
  test(`${name}=${value} prevents the start, and the error names it`, async () => {
    const output = await refused({ [name]: value });
    assert.match(output, new RegExp(`^${name}: .*\\.$`, 'm'));
    assert.ok(!output.includes('name:word'), 'a secret is not repeated');
  });

test('plain HTTP is rejected with advice if other machines could reach it, but accepted behind a proxy', async () => {
  const output = await refused({ HOST: '0.0.0.0' });
  assert.match(
    output,
    /HOST: plain HTTP on 0\.0\.0\.0 is refused.*TLS_CERT and TLS_KEY.*TRUST_PROXY=true.*127\.0\.0\.1/,
  );
  const service = await startProcess({ ...(await databaseSettings()), HOST: '0.0.0.0', TRUST_PROXY: 'true' });
  assert.equal((await fetch(`${service.baseUrl}/health/live`)).status, 200);
  await stopProcess(service);
});

test('the service does not start if a port is in use, and the error names the port and the setting', async () => {
  const service = await startProcess(await databaseSettings());
  const { PORT, CONTENT_PORT } = service.env;
  const [free] = (await freePorts(1)).map(String);
  const content = await refused({ ...(await databaseSettings()), PORT: free, CONTENT_PORT });
  assert.equal(
    content,
    `Port ${CONTENT_PORT} of 127.0.0.1 is in use. Stop the program that is listening on it, or set CONTENT_PORT to another port.\n`,
  );
  const output = await refused({ ...(await databaseSettings()), PORT, CONTENT_PORT: free });
  assert.match(
    output,
    new RegExp(`^Port ${PORT} of 127\\.0\\.0\\.1 is in use\\. .*, or set PORT to another`),
  );
  await stopProcess(service);
});

test('the key is not lost if the first start fails because its port is in use', async () => {
  const empty = await emptyDatabaseSettings();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const [free] = (await freePorts(1)).map(String);
  const failed = runLectern(['serve'], { ...empty, PORT: String(port), CONTENT_PORT: free });
  assert.equal((await failed.exited).code, 1);
  assert.doesNotMatch(failed.stdout(), printed);
  other.close();

  const service = await startProcess(empty);
  const [[, key = ''] = []] = service.stdout().matchAll(printed);
  assert.equal(await statusWith(service.baseUrl, key), 200, service.stdout());
  assert.match(service.stdout(), printedLink);
  await stopProcess(service);
});

test('until an operator key or link has been used, every start prints how to get one', async () => {
  const empty = await emptyDatabaseSettings();
  await stopProcess(await startProcess(empty));
  const second = await startProcess(empty);
  assert.match(second.stdout(), /^ {2}lectern console$/m);
  assert.match(second.stdout(), /^ {2}lectern key create --operator --name NAME$/m);
  const link = runLectern(['console'], { ...empty, PORT: second.env.PORT });
  await link.exited;
  const { url = '' } = printedLink.exec(link.stdout())?.groups ?? {};
  const body = new URLSearchParams({ token: new URL(url).searchParams.get('token') ?? '' });
  const signedIn = await fetch(`${second.baseUrl}/session/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    body,
  });
  assert.equal(signedIn.status, 303);
  await stopProcess(second);
  const third = await startProcess(empty);
  assert.doesNotMatch(third.stdout(), /lectern console|key create/);
  await stopProcess(third);
});

test('the service does not start if the database cannot be reached, and reports this in one sentence', async () => {
  const [port] = await freePorts(1);
  const output = await refused({ DATABASE_URL: `postgres://lectern:the-password@127.0.0.1:${port}/lectern` });
  assert.match(output, /DATABASE_URL|database/i);
  assert.ok(!output.includes('the-password'));
});

test('a second process on the same embedded database is rejected', async () => {
  const { DATA_DIR } = await databaseSettings();
  const first = await startProcess({ DATA_DIR, BOOTSTRAP_KEY: bootstrapKey });
  const output = await refused({ DATA_DIR });
  assert.ok(output.includes(`The data folder ${DATA_DIR} is in use by process ${first.child.pid}.`), output);
  assert.match(output, /Stop it, or set DATA_DIR/);
  assert.equal(await statusWith(first.baseUrl, bootstrapKey), 200, 'the first process keeps serving');
  await stopProcess(first);
});

test('three nodes can start together on one empty PostgreSQL database', {
  skip: !process.env.TEST_DATABASE_URL && 'runs with --postgres',
}, async () => {
  const { url, drop } = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
  const folder = await temporaryFolder();
  const env = { DATABASE_URL: url, DATA_DIR: folder };
  const nodes = await Promise.all([startProcess(env), startProcess(env), startProcess(env)]);
  const keys = nodes.flatMap((node) => [...node.stdout().matchAll(printed)].map((match) => match[1] ?? ''));
  assert.equal(keys.length, 1, "one of the nodes created the operator's key");
  for (const node of nodes) assert.equal(await statusWith(node.baseUrl, keys[0] ?? ''), 200);
  const migrated = nodes.filter((node) => node.stdout().includes('migrated the database'));
  assert.ok(migrated.length >= 1);
  for (const node of nodes) assert.deepEqual(await stopProcess(node), { code: 0, signal: null });
  await drop();
});
