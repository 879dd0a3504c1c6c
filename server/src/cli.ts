import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type * as Commands from './commands.ts';
import { exitWithReason } from './exit.ts';
import { help, UsageError } from './help.ts';
import { readConfig } from './platform/config.ts';
import type { Context } from './platform/context.ts';
import { createForOwnerOnly } from './platform/files/owner-only.ts';
import { locations } from './platform/locations.ts';
import { isScope, scopes } from './platform/scopes.ts';
import { toNfc } from './platform/unicode.ts';

const options = {
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
  since: { type: 'string' },
  'idempotency-key': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

type Option = keyof typeof options;
type Values = ReturnType<typeof readArguments>['values'];
/** Commands are loaded after the arguments have been checked, so help and usage errors appear immediately. */
type CommandAction = (commands: typeof Commands, ctx: Context) => Promise<unknown>;

/** `plan` parses the arguments and rejects invalid ones before the database is opened. */
type Command = {
  takes: readonly Option[];
  maxArguments: number;
  plan: (args: string[], values: Values) => CommandAction;
};

function required(value: string | undefined, what: string): string {
  if (!value) throw new UsageError(`${what} is missing.`);
  return value;
}

function planImport([file]: string[], values: Values): CommandAction {
  const path = required(file, 'FILE');
  const courseId = toNfc(required(values.course, '--course'));
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`The file ${path} does not exist.`);
  const { title } = values;
  return (commands, ctx) => commands.importCourse(ctx, { path, courseId, title });
}

function planKey(_: string[], values: Values): CommandAction {
  const { operator = false, tenant, expires } = values;
  if (operator && tenant !== undefined) throw new UsageError('Use either --tenant or --operator, not both.');
  const tenantId = operator ? null : toNfc(required(tenant, '--tenant (or --operator)'));
  const Name = required(values.name, '--name');
  const unknown = values.scope?.find((scope) => !isScope(scope));
  if (unknown !== undefined)
    throw new UsageError(`The scope ${unknown} does not exist. Use one of ${scopes.join(', ')}.`);
  const instant = expires === undefined ? null : new Date(expires);
  if (instant && !(instant.getTime() > Date.now()))
    throw new UsageError(`--expires ${expires} must be a time in the future, such as 2030-01-31T00:00:00Z.`);
  return (commands, ctx) =>
    commands.makeKey(ctx, {
      tenantId,
      Name,
      ...(values.scope ? { Scopes: values.scope.filter(isScope) } : {}),
      ...(instant ? { ExpiresAt: instant.toISOString() } : {}),
    });
}

const bulkOptions: readonly Option[] = ['plan', 'url', 'key', 'tenant', 'idempotency-key'];

async function sendBulk([, subject, file]: string[], values: Values): Promise<void> {
  const { bulkCommand, bulkSubjects } = await import('./bulk-command.ts');
  if (!bulkSubjects.includes(required(subject, 'users or enrolments')))
    throw new UsageError(`"${subject}" cannot be sent in bulk. Use ${bulkSubjects.join(' or ')}.`);
  const path = required(file, 'FILE');
  if (path !== '-' && !statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`The file ${path} does not exist.`);
  const url = required(values.url ?? process.env.LECTERN_URL, '--url').replace(/\/$/, '');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(`--url ${url} must be a URL such as https://learn.example.com.`);
  const { failed } = await bulkCommand({
    subject: required(subject, 'users or enrolments'),
    file: path,
    plan: values.plan === true,
    url,
    key: required(values.key ?? process.env.LECTERN_KEY, '--key'),
    tenant: typeof values.tenant === 'string' ? values.tenant : null,
    idempotencyKey: typeof values['idempotency-key'] === 'string' ? values['idempotency-key'] : null,
  });
  if (failed > 0) process.exitCode = 1;
}

function planTenant([id]: string[], { name }: Values): CommandAction {
  const input = {
    TenantID: toNfc(required(id, 'ID')),
    ...(name === undefined ? {} : { Name: name }),
  };
  return async (commands, ctx) => (await commands.createTenant(ctx, input)).tenant;
}

function planStatus(Status: 'active' | 'suspended') {
  return ([id]: string[]): CommandAction => {
    const input = { tenantId: toNfc(required(id, 'ID')), Status };
    return (commands, ctx) => commands.updateTenant(ctx, input);
  };
}

function planDeletion([id]: string[], { plan = false }: Values): CommandAction {
  const input = { tenantId: toNfc(required(id, 'ID')), plan };
  return (commands, ctx) => commands.deleteTenant(ctx, input);
}

function planRevocation([keyId]: string[]): CommandAction {
  const input = { keyId: required(keyId, 'KEYID') };
  return (commands, ctx) => commands.revokeKey(ctx, input);
}

async function printKeys([action = '', ...args]: string[], values: Values): Promise<void> {
  if (!['list', 'rotate', 'remove'].includes(action))
    throw new UsageError(`The command "keys ${action}" does not exist.`);
  rejectExcess(args, values, `keys ${action}`, { takes: [], maxArguments: action === 'remove' ? 1 : 0 });
  const keyId = action === 'remove' ? required(args[0], 'KEYID') : '';
  const config = readConfig(process.env);
  const { listKeys, removeKey, rotateKeys } = await import('./keys-command.ts');
  const printed =
    action === 'list'
      ? listKeys(config)
      : await (action === 'rotate' ? rotateKeys(config) : removeKey(config, keyId));
  console.log(JSON.stringify(printed, null, 2));
}

async function verifyAudit([action, ...args]: string[], values: Values): Promise<void> {
  if (action !== 'verify') throw new UsageError(`The command "audit ${action ?? ''}" does not exist.`);
  rejectExcess(args, values, 'audit verify', { takes: ['since'], maxArguments: 1 });
  const { verifyCommand } = await import('./audit-command.ts');
  const input = { backup: args[0] ?? null, since: values.since ?? null };
  const verified = await verifyCommand(readConfig(process.env), input);
  console.log(JSON.stringify(verified, null, 2));
  if (!verified.Intact) process.exitCode = 1;
}

/** Rejects a missing DATA_DIR: opening it would create it, and the link would not work for the running service. */
async function openConsole(): Promise<void> {
  const config = readConfig(process.env);
  if (!existsSync(config.dataDir))
    throw new UsageError(
      `The folder ${config.dataDir} does not exist. Set DATA_DIR to the service's folder. For a demo, use the command that it printed.`,
    );
  const { createOperatorLink, linkMessage } = await import('./modules/people/operator-links.ts');
  process.stdout.write(linkMessage(await createOperatorLink({ config, now: () => new Date() })));
}

/** The work is already done, because opening the database migrates it. */
const upToDate: CommandAction = async () => ({ Status: 'The database is up to date.' });

const commands: Record<string, Command> = {
  migrate: { takes: [], maxArguments: 0, plan: () => upToDate },
  import: { takes: ['course', 'title'], maxArguments: 1, plan: planImport },
  'tenant create': { takes: ['name'], maxArguments: 1, plan: planTenant },
  'tenant suspend': { takes: [], maxArguments: 1, plan: planStatus('suspended') },
  'tenant resume': { takes: [], maxArguments: 1, plan: planStatus('active') },
  'tenant delete': { takes: ['plan'], maxArguments: 1, plan: planDeletion },
  'key create': { takes: ['tenant', 'operator', 'name', 'scope', 'expires'], maxArguments: 0, plan: planKey },
  'key revoke': { takes: [], maxArguments: 1, plan: planRevocation },
};

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** An unexpected word or option may be a misunderstanding, so nothing is executed. */
function rejectExcess(
  args: string[],
  values: Values,
  name: string,
  { takes, maxArguments }: Pick<Command, 'takes' | 'maxArguments'>,
) {
  const excess = args[maxArguments];
  if (excess !== undefined) throw new UsageError(`lectern ${name} does not accept the argument "${excess}".`);
  const option = Object.keys(values).find((given) => !takes.some((one) => one === given));
  if (option !== undefined) throw new UsageError(`lectern ${name} does not have the option --${option}.`);
}

/** The isolation of imports and the data folder's lock need this version (ADR 41). */
function rejectOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return;
  throw new Error(
    `Lectern needs Node.js 22.13 or newer, but this is ${version}. Install a newer version, or put "npx --package=node@24" before the command.`,
  );
}

function installedVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(locations.manifest, 'utf8'));
  return version;
}

async function main(): Promise<void> {
  rejectOldNode(process.versions.node);
  createForOwnerOnly();
  const { positionals, values } = readArguments();
  const [first = 'help', second = ''] = positionals;
  if (values.version && positionals.length === 0) return console.log(installedVersion());
  if (values.help || first === 'help') return console.log(help);
  if (first === 'bulk') {
    rejectExcess(positionals.slice(1), values, 'bulk', { takes: bulkOptions, maxArguments: 2 });
    return sendBulk(positionals, values);
  }
  const name = `${first} ${second}` in commands ? `${first} ${second}` : first;
  const args = positionals.slice(name.split(' ').length);
  if (first === 'serve') {
    rejectExcess(args, values, name, { takes: [], maxArguments: 0 });
    return (await import('./main.ts')).serve();
  }
  if (first === 'backup' || first === 'restore') {
    rejectExcess(args, values, first, { takes: [], maxArguments: 1 });
    const folder = required(args[0], 'FOLDER');
    const config = readConfig(process.env);
    const { backupCommand, restoreCommand } = await import('./backup-command.ts');
    const done = first === 'backup' ? backupCommand(config, folder) : restoreCommand(config, folder);
    return console.log(JSON.stringify(await done, null, 2));
  }
  if (first === 'keys') return printKeys(positionals.slice(1), values);
  if (first === 'audit') return verifyAudit(positionals.slice(1), values);
  if (first === 'console') {
    rejectExcess(args, values, name, { takes: [], maxArguments: 0 });
    return openConsole();
  }
  if (first === 'demo') {
    rejectExcess(args, values, name, { takes: ['once'], maxArguments: 0 });
    return (await import('./demo.ts')).demo({ once: values.once === true });
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`The command "${positionals.join(' ')}" does not exist.`);
  rejectExcess(args, values, name, command);
  const act = command.plan(args, values);
  const config = readConfig(process.env);
  const loaded = await import('./commands.ts');
  const answer = await loaded.withDatabase(config, (ctx) => act(loaded, ctx));
  console.log(JSON.stringify(answer, null, 2));
}

await main().catch(exitWithReason);
