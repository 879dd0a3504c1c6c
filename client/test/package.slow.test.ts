import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newTenant } from '../../server/test/support/tenant.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
let project: string;
let service: TestService;

/** A project in which the package is installed as published. */
before(async () => {
  service = await startService();
  project = await realpath(await mkdtemp(join(tmpdir(), 'lectern-client-')));
  const modules = join(project, 'node_modules');
  await mkdir(modules);
  await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: join(root, 'client') });
  const [archive] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['xzf', join(project, archive ?? ''), '-C', modules]);
  await cp(join(modules, 'package'), join(modules, 'lectern-client'), { recursive: true });
  await rm(join(modules, 'package'), { recursive: true });
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    await cp(join(root, 'node_modules', name), join(modules, name), { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
});
after(async () => {
  await service.close();
  await rm(project, { recursive: true, force: true });
});

/** This Node, and the machine's other Node versions that the package supports. */
async function nodeVersions(): Promise<string[]> {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const real = found.filter((path) => existsSync(path)).map((path) => realpath(path));
  const all = new Set([await realpath(process.execPath), ...(await Promise.all(real))]);
  const versions = await Promise.all([...all].map((path) => run(path, ['--version'])));
  return [...all].filter((_, index) => Number(versions[index]?.stdout.slice(1).split('.')[0]) >= 20);
}

test('the archive contains only the published files', async () => {
  const folder = join(project, 'node_modules/lectern-client');
  assert.deepEqual((await readdir(folder)).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  for (const name of await readdir(join(folder, 'dist'))) assert.match(name, /\.(js|d\.ts)$/);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const installed = JSON.parse(await readFile(join(root, 'node_modules/openapi-fetch/package.json'), 'utf8'));
  assert.equal(manifest.license, 'Apache-2.0');
  assert.equal(manifest.dependencies['openapi-fetch'], installed.version);
});

test('plain JavaScript can import the package in every installed Node.js version from 20', async () => {
  const { key } = await newTenant(service);
  const code = `
    import { createLectern, LecternError, verifyWebhook, withReturn } from 'lectern-client';
    const lectern = createLectern({ baseUrl: process.env.BASE_URL, key: process.env.KEY });
    const { LoginID } = await lectern.post('/user', { body: { LoginID: process.version } });
    const seen = [];
    for await (const user of lectern.items('/user', { params: { query: { Limit: 1 } } })) seen.push(user.LoginID);
    const code = await lectern.get('/enrolment', { params: { query: { Status: 'x' } } }).catch((error) => error.code);
    const unsigned = await verifyWebhook('{}', {}, 'whsec_AAAA').catch((error) => error.name);
    console.log([seen.includes(LoginID), code, unsigned, withReturn('http://l/?a=1', 'https://x/?y')].join(' '));`;
  await writeFile(join(project, 'use.js'), code);
  const env = { ...process.env, BASE_URL: service.baseUrl, KEY: key };
  for (const node of await nodeVersions()) {
    const { stdout } = await run(node, ['use.js'], { cwd: project, env });
    assert.equal(
      stdout,
      'true validation_failed WebhookError http://l/?a=1&returnURL=https%3A%2F%2Fx%2F%3Fy\n',
    );
  }
});

test('the examples in the README run', async () => {
  const tenant = await newTenant(service);
  await service.api('PUT', '/course/fire-safety', { Title: 'Fire safety', URL: 'https://web.example/' });
  for (const [name, Duration] of Object.entries({ month: 'P30D', year: 'P365D' }))
    await service.api('PUT', `/course/fire-safety/option/${name}`, { Duration });
  const readme = await readFile(join(project, 'node_modules/lectern-client/README.md'), 'utf8');
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
  // The webhook receiver would not exit on its own.
  const code = examples.filter((example) => !example.includes('createServer')).join('\n');
  await writeFile(join(project, 'readme.js'), code.replaceAll('https://learn.example.com', service.baseUrl));
  const env = { ...process.env, LECTERN_KEY: tenant.key };
  const runExamples = () => run(process.execPath, ['readme.js'], { cwd: project, env });
  await runExamples();
  // A repeated example changes nothing, and the event log can be read to its end.
  const { stdout } = await runExamples();
  assert.match(stdout, /&returnURL=https%3A%2F%2Fshop/);
  assert.match(stdout, /409 .*FirstName/s);
  assert.match(stdout, /^u-1 0$/m);
  assert.match(stdout, /^user.created u-1\nenrolment.created u-1$/m);
  await service.api('PUT', '/course/fire-safety', { Status: 'retired' });
});

const consumer = `
import { createLectern, type Enrolment, launchUrl, type User } from 'lectern-client';
const lectern = createLectern({ baseUrl: 'https://learn.example', key: 'secret' });
export const user: User = await lectern.post('/user', { body: { LoginID: 'u1' } });
export const enrolment: Enrolment = await lectern.enrol('u1', 'c1', { choose: ([first]) => first?.DurationID ?? null });
export const address: string = launchUrl.withReturn(enrolment.LaunchURL, 'https://shop.example/');
for await (const { Status } of lectern.items('/enrolment', { params: { query: { CourseID: 'c1' } } })) {
  const known: 'enrolled' | 'in_progress' | 'completed' | 'expired' | 'withdrawn' = Status;
  console.log(known);
}
export const nothing: undefined = await lectern.delete('/course/{CourseID}', { params: { path: { CourseID: 'c1' } } });
for await (const { verb, result } of lectern.xapi.statements({ verb: 'https://example.com/verbs/x' })) {
  const scaled: number | undefined = result?.score?.scaled;
  console.log(verb.id, scaled);
}
// @ts-expect-error a statement without a verb
await lectern.xapi.post({ actor: {}, object: { id: 'https://example.com/a' } });
// @ts-expect-error a field that does not exist
await lectern.post('/user', { body: { LoginID: 'u1', Firstname: 'Ada' } });
// @ts-expect-error a path that does not exist
await lectern.get('/users');
// @ts-expect-error a parameter is missing
await lectern.get('/user/{LoginID}');
// @ts-expect-error not a list
lectern.items('/session');
// @ts-expect-error neither a key nor client credentials
createLectern({ baseUrl: 'https://learn.example' });
`;

for (const [moduleResolution, module] of [
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
])
  test(`the types resolve with ${moduleResolution}`, async () => {
    await writeFile(join(project, 'use.ts'), consumer);
    const compilerOptions = {
      ...{ module, moduleResolution, strict: true, noEmit: true, skipLibCheck: false, types: [] },
      ...{ target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'] },
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const checked = await run(process.execPath, [tsc, '-p', project]).catch(({ stdout }) => ({ stdout }));
    assert.equal(checked.stdout, '');
  });
