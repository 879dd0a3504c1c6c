import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startService } from '../../test/support/service.ts';
import { expectProblem } from '../../test/support/tenant.ts';
import { serviceActor } from '../infra/context/context.ts';
import { packFolder } from '../lib/pack-folder.ts';
import { planCommand, readArguments } from './command-line.ts';
import * as commands from './commands.ts';
import { sentenceFor } from './exit.ts';

const service = await startService();
let folder: string;
let zip: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-commands-'));
  zip = join(folder, 'course.zip');
  await packFolder(join(import.meta.dirname, '../../../courses/phishing'), zip);
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a database command in this process; `cli.slow.test.ts` runs the program. */
// biome-ignore lint/suspicious/noExplicitAny: records of any shape
async function answer(args: string[]): Promise<any> {
  const { positionals, values } = readArguments(args);
  const act = planCommand(positionals, values);
  return act(commands, { ...service.ctx, actor: { ...serviceActor, kind: 'command_line' } });
}

async function refusal(args: string[]): Promise<string> {
  try {
    assert.fail(`It printed ${JSON.stringify(await answer(args))}`);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    const sentence = sentenceFor(error);
    assert.doesNotMatch(sentence, /\n\s+at /, 'the error is one sentence, without a stack trace');
    return sentence;
  }
}

test('an imported package sets the title of a new course, and keeps the title of an existing one', async () => {
  const first = await answer(['import', zip, '--course', 'phishing']);
  assert.deepEqual([first.Release, first.Title], [1, 'Spot the phish']);
  const second = await answer(['import', zip, '--course', 'phishing', '--title', 'Another']);
  assert.equal(second.Release, 2);
  await answer(['import', zip, '--course', 'named', '--title', 'A title of its own']);
  assert.equal((await service.api('GET', '/course/phishing')).body.Title, 'Spot the phish');
  assert.equal((await service.api('GET', '/course/named')).body.Title, 'A title of its own');
});

test('a failed import prints the reason and leaves no course or file behind', async () => {
  assert.match(await refusal(['import', 'nothing.zip', '--course', 'none']), /nothing\.zip/);
  const text = join(folder, 'text.zip');
  await writeFile(text, 'This is not a zip archive.');
  assert.match(await refusal(['import', text, '--course', 'none']), /zip/i);
  const cut = join(folder, 'cut.zip');
  await writeFile(cut, (await readFile(zip)).subarray(0, 5_000));
  await refusal(['import', cut, '--course', 'none']);
  const hostile = join(folder, 'hostile.zip');
  const bytes = await readFile(zip);
  await writeFile(
    hostile,
    Buffer.from(bytes.toString('latin1').replaceAll('index.html', '../../x.ht'), 'latin1'),
  );
  assert.match(await refusal(['import', hostile, '--course', 'none']), /\.\.\/\.\.\/x\.ht|unsafe|outside/i);
  await refusal(['import', zip, '--course', '']);
  assert.match(await refusal(['import', zip]), /--course is missing/);
  assert.match(await refusal(['import', '--course', 'none']), /FILE is missing/);
  assert.match(await refusal(['import', folder, '--course', 'none']), /folder|directory|file/i);
  expectProblem(await service.api('GET', '/course/none'), 404, 'course_not_found');
});

test('the commands create tenants and keys, and revoke keys', async () => {
  const tenant = await answer(['tenant', 'create', 'acme', '--name', 'Acme Corporation']);
  assert.deepEqual([tenant.TenantID, tenant.Name], ['acme', 'Acme Corporation']);
  assert.equal((await answer(['tenant', 'create', 'acme', '--name', 'Acme Corporation'])).TenantID, 'acme');
  assert.match(await refusal(['tenant', 'create', 'acme', '--name', 'Other']), /Name|exists/);
  assert.match(await refusal(['tenant', 'create']), /ID is missing/);

  const all = await answer(['key', 'create', '--tenant', 'acme', '--name', 'shop']);
  assert.match(all.Secret, /^lectern_[\w-]{43}$/);
  const few = [
    'key',
    'create',
    '--tenant',
    'acme',
    '--name',
    'few',
    '--scope',
    'users:read',
    '--scope',
    'users:write',
  ];
  const narrow = await answer([...few, '--expires', '2099-01-01T00:00:00Z']);
  assert.deepEqual(narrow.Scopes, ['users:read', 'users:write']);
  assert.equal(narrow.ExpiresAt, '2099-01-01T00:00:00.000Z');
  const operator = await answer(['key', 'create', '--operator', '--name', 'second operator']);
  assert.equal(operator.TenantID, null);
  const statusOf = async (secret: string, path: string) =>
    (await service.api('GET', path, undefined, secret)).status;
  assert.equal(await statusOf(all.Secret, '/user'), 200);
  const revoked = await answer(['key', 'revoke', all.KeyID]);
  assert.notEqual(revoked.RevokedAt, null);
  assert.equal(revoked.Secret, undefined);
  assert.equal((await answer(['key', 'revoke', all.KeyID])).RevokedAt, revoked.RevokedAt);

  assert.equal(await statusOf(all.Secret, '/user'), 401);
  assert.equal(await statusOf(narrow.Secret, '/user'), 200);
  assert.equal(await statusOf(narrow.Secret, '/enrolment'), 403);
  assert.equal(await statusOf(operator.Secret, '/tenant'), 200);
});

const badKeys: [string[], RegExp][] = [
  [['--name', 'shop'], /--tenant \(or --operator\) is missing/],
  [['--tenant', 'acme'], /--name is missing/],
  [['--tenant', 'nobody', '--name', 'shop'], /nobody|tenant/i],
  [['--tenant', 'acme', '--operator', '--name', 'both'], /--tenant or --operator, not both/],
  [
    ['--tenant', 'acme', '--name', 'shop', '--scope', 'users:all'],
    /scope users:all does not exist.*users:read/s,
  ],
  [['--tenant', 'acme', '--name', 'shop', '--scope', 'tenants:write'], /tenants:write/],
  [['--tenant', 'acme', '--name', 'shop', '--expires', 'tomorrow'], /--expires/],
  [['--tenant', 'acme', '--name', 'shop', '--expires', '2001-01-01T00:00:00Z'], /--expires.*in the future/],
];

for (const [args, expected] of badKeys)
  test(`rejects key create ${args.join(' ')}`, async () => {
    assert.match(await refusal(['key', 'create', ...args]), expected);
  });

for (const id of ['nothing', '00000000-0000-7000-8000-000000000000'])
  test(`rejects key revoke ${id}`, async () => {
    assert.match(await refusal(['key', 'revoke', id]), new RegExp(`key ${id} does not exist`));
  });
