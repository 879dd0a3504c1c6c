import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { bulkCommand, bulkSubjects } from './bulk-command.ts';
import { demo } from './demo.ts';
import { exitWithReason, serve } from './main.ts';
import { createKey, revokeKey } from './modules/auth/keys.ts';
import { putCourse, readAuthoredCourse } from './modules/catalogue/courses.ts';
import { importPackage } from './modules/catalogue/import-package.ts';
import { createTenant, readTenant } from './modules/tenants/tenants.ts';
import { readConfig } from './platform/config.ts';
import type { Context } from './platform/context.ts';
import { Problem } from './platform/errors.ts';
import { openLog } from './platform/log.ts';
import { openContext } from './platform/open-context.ts';
import { type Scope, scopes } from './platform/scopes.ts';

const help = `lectern serve                                     serve until stopped
lectern migrate                                   bring the database up to date
lectern import FILE --course ID [--title TITLE]   import a package; creates the course when it is new
lectern tenant create ID [--name NAME]            create a tenant
lectern key create --tenant ID --name NAME        create a key of a tenant (--operator: of the operator)
      [--scope SCOPE …] [--expires INSTANT]
lectern key revoke KEYID                          revoke a key
lectern bulk users|enrolments FILE [--plan]       send NDJSON or CSV to a running service; FILE -: NDJSON from stdin
      --url URL --key KEY [--tenant ID] [--idempotency-key KEY]   (or LECTERN_URL and LECTERN_KEY)
lectern demo                                      show the whole interface on an empty database

An embedded database is used by one process: stop the service first, or use its interface.
The environment configures all of them; see the README.`;

type Values = Record<string, string | boolean | string[] | undefined>;
type Command = (ctx: Context, args: string[], values: Values) => Promise<unknown>;

class UsageError extends Error {
  constructor(message: string) {
    super(`${message}\n\n${help}`);
  }
}

function needed(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new UsageError(`${what} is missing.`);
  return value;
}

async function importFile(ctx: Context, [file]: string[], values: Values) {
  const path = needed(file, 'FILE');
  const courseId = needed(values.course, '--course').normalize('NFC');
  const known = await readAuthoredCourse(ctx, { courseId }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'course_not_found') return null;
    throw error;
  });
  const title = typeof values.title === 'string' ? values.title : null;
  if (!known) await putCourse(ctx, { courseId, Title: title ?? courseId });
  const { release } = await importPackage(ctx, { courseId, zip: createReadStream(path) });
  if (!known && title === null) await putCourse(ctx, { courseId, Title: release.Title });
  return release;
}

async function makeKey(ctx: Context, _: string[], values: Values) {
  const tenantId = values.operator ? null : needed(values.tenant, '--tenant (or --operator)');
  if (tenantId !== null) await readTenant(ctx, { tenantId });
  const wanted = (values.scope ?? []) as Scope[];
  const unknown = wanted.find((scope) => !scopes.includes(scope));
  if (unknown) throw new UsageError(`There is no scope ${unknown}. The scopes are ${scopes.join(', ')}.`);
  return createKey(ctx, {
    tenantId,
    Name: needed(values.name, '--name'),
    ...(wanted.length > 0 ? { Scopes: wanted } : {}),
    ...(typeof values.expires === 'string' ? { ExpiresAt: values.expires } : {}),
  });
}

async function sendBulk([, subject, file]: string[], values: Values): Promise<void> {
  if (!bulkSubjects.includes(needed(subject, 'users or enrolments')))
    throw new UsageError(`There is no bulk "${subject}", only ${bulkSubjects.join(' and ')}.`);
  const { failed } = await bulkCommand({
    subject: needed(subject, 'users or enrolments'),
    file: needed(file, 'FILE'),
    plan: values.plan === true,
    url: needed(values.url ?? process.env.LECTERN_URL, '--url').replace(/\/$/, ''),
    key: needed(values.key ?? process.env.LECTERN_KEY, '--key'),
    tenant: typeof values.tenant === 'string' ? values.tenant : null,
    idempotencyKey: typeof values['idempotency-key'] === 'string' ? values['idempotency-key'] : null,
  });
  if (failed > 0) process.exitCode = 1;
}

const commands: Record<string, Command> = {
  migrate: async () => ({ Status: 'The database is up to date.' }),
  import: importFile,
  'tenant create': async (ctx, [id], values) => {
    const input = { TenantID: needed(id, 'ID') };
    const named = typeof values.name === 'string' ? { ...input, Name: values.name } : input;
    return (await createTenant(ctx, named)).tenant;
  },
  'key create': makeKey,
  'key revoke': (ctx, [keyId]) => revokeKey(ctx, { keyId: needed(keyId, 'KEYID') }),
};

function readArguments() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      course: { type: 'string' },
      title: { type: 'string' },
      name: { type: 'string' },
      tenant: { type: 'string' },
      operator: { type: 'boolean' },
      scope: { type: 'string', multiple: true },
      expires: { type: 'string' },
      once: { type: 'boolean' },
      plan: { type: 'boolean' },
      url: { type: 'string' },
      key: { type: 'string' },
      'idempotency-key': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  return { positionals, values };
}

async function main(): Promise<void> {
  const { positionals, values } = readArguments();
  const [first = 'help', second = ''] = positionals;
  if (values.help || first === 'help') return console.log(help);
  if (first === 'serve') return serve();
  if (first === 'bulk') return sendBulk(positionals, values);
  if (first === 'demo') return demo({ once: values.once === true });
  const name = `${first} ${second}` in commands ? `${first} ${second}` : first;
  const command = commands[name];
  if (!command) throw new UsageError(`There is no command "${positionals.join(' ')}".`);
  const config = readConfig(process.env);
  const ctx = await openContext(config, openLog(process.env.LOG_LEVEL ? config.logLevel : 'warn'));
  try {
    const args = positionals.slice(name.split(' ').length);
    console.log(JSON.stringify(await command(ctx, args, values), null, 2));
  } finally {
    await ctx.engine.close();
  }
}

await main().catch(exitWithReason);
