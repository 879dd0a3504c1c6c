import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startMailServer } from '../../test/support/smtp.ts';
import { checkCommand } from './check-command.ts';

async function found(env: Record<string, string>) {
  const { OK, Checks } = await checkCommand(env);
  const of = (name: string) => {
    const { Result, Detail } = Checks.find(({ Name }) => Name === name) ?? {};
    return `${Result}: ${Detail}`;
  };
  return {
    OK,
    configuration: of('configuration'),
    database: of('database'),
    storage: of('storage'),
    mail: of('mail'),
  };
}

test('check reports each part that would keep the service from working, with the setting and the cure', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-check-'));
  t.after(() => rm(folder, { recursive: true }));
  const DATA_DIR = join(folder, 'data');
  const fresh = await found({ DATA_DIR });
  assert.equal(fresh.OK, true);
  assert.match(fresh.database, /^warning: There is no database in \S+ yet\.$/);
  assert.match(fresh.storage, /^warning: \S+ does not exist yet/);

  assert.deepEqual(await found({ PORT: 'many' }).then(({ OK }) => OK), false);
  await mkdir(DATA_DIR);
  const broken = await found({
    DATA_DIR,
    DATABSE_URL: 'x',
    DATABASE_URL: 'postgres://nobody:s3cret@127.0.0.1:9/none',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'a@lectern.example',
  });
  assert.equal(broken.OK, false);
  assert.match(broken.configuration, /^warning: DATABSE_URL is not a setting.* Did you mean DATABASE_URL\?$/);
  assert.match(broken.database, /^failed: The database does not respond .* check DATABASE_URL\.$/);
  assert.match(broken.storage, /^ok: .* GiB of free space/);
  assert.match(broken.mail, /^failed: SMTP_URL: 127\.0\.0\.1:9 does not accept emails \(/);
  assert.doesNotMatch(JSON.stringify(broken), /s3cret/);

  const mail = await startMailServer();
  t.after(mail.close);
  const local = { BASE_URL: 'https://localhost', CONTENT_URL: 'https://127.0.0.1' };
  const works = await found({
    ...{ DATA_DIR, SMTP_URL: mail.url, MAIL_FROM: 'a@lectern.example', ...local },
  });
  assert.match(works.mail, /^ok: /);
  assert.equal(mail.mails.length, 0);
});

test('a folder that cannot be created is reported immediately', async () => {
  const { restrictDataFolder } = await import('../lib/owner-only.ts');
  assert.throws(
    () => restrictDataFolder('/proc/lectern/data', { warn: () => {} }),
    /^ConfigError: DATA_DIR: the folder "\/proc\/lectern" cannot be created/,
  );
});
