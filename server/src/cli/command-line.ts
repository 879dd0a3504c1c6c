import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Context } from '../infra/context/context.ts';
import { isScope, scopes } from '../infra/context/scopes.ts';
import { cleanText } from '../lib/unicode.ts';
import type * as Commands from './commands.ts';
import { UsageError } from './help.ts';

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
  test: { type: 'boolean' },
  'allow-missing': { type: 'boolean' },
  'remove-passkeys': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export type Option = keyof typeof options;
export type Values = ReturnType<typeof readArguments>['values'];
/** The commands are loaded after the arguments are checked, so help and usage errors appear immediately. */
type CommandAction = (commands: typeof Commands, ctx: Context) => Promise<unknown>;

/** `plan` parses the arguments and rejects invalid ones before the database is opened. */
type Command = {
  takes: readonly Option[];
  maxArguments: number;
  plan: (args: string[], values: Values) => CommandAction;
};

export function required(value: string | undefined, what: string): string {
  if (!value) throw new UsageError(`${what} is missing.`);
  return value;
}

function planImport([file]: string[], values: Values): CommandAction {
  const path = required(file, 'FILE');
  const courseId = cleanText(required(values.course, '--course'));
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`The file ${path} does not exist.`);
  const { title } = values;
  return (commands, ctx) => commands.importCourse(ctx, { path, courseId, title });
}

function planKey(_: string[], values: Values): CommandAction {
  const { operator = false, tenant, expires } = values;
  if (operator && tenant !== undefined) throw new UsageError('Use either --tenant or --operator, not both.');
  const tenantId = operator ? null : cleanText(required(tenant, '--tenant (or --operator)'));
  const Name = cleanText(required(values.name, '--name'));
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

function planTenant([id]: string[], { name, test }: Values): CommandAction {
  const input = {
    TenantID: cleanText(required(id, 'ID')),
    ...(name === undefined ? {} : { Name: cleanText(name) }),
    ...(test ? { Status: 'test' as const } : {}),
  };
  return async (commands, ctx) => (await commands.createTenant(ctx, input)).tenant;
}

function planStatus(Status: 'active' | 'suspended') {
  return ([id]: string[]): CommandAction => {
    const input = { tenantId: cleanText(required(id, 'ID')), Status };
    return (commands, ctx) => commands.updateTenant(ctx, input);
  };
}

function planDeletion([id]: string[], { plan = false }: Values): CommandAction {
  const input = { tenantId: cleanText(required(id, 'ID')), plan };
  return (commands, ctx) => commands.deleteTenant(ctx, input);
}

function planRevocation([keyId]: string[]): CommandAction {
  const input = { keyId: required(keyId, 'KEYID') };
  return (commands, ctx) => commands.revokeKey(ctx, input);
}

/** Does nothing, because opening the database has already migrated it. */
const upToDate: CommandAction = async () => ({ Status: 'The database is up to date.' });

/** The commands that use the database. */
const commands: Record<string, Command> = {
  migrate: { takes: [], maxArguments: 0, plan: () => upToDate },
  import: { takes: ['course', 'title'], maxArguments: 1, plan: planImport },
  'storage claim': { takes: [], maxArguments: 0, plan: () => (commands, ctx) => commands.claimStorage(ctx) },
  'tenant create': { takes: ['name', 'test'], maxArguments: 1, plan: planTenant },
  'tenant suspend': { takes: [], maxArguments: 1, plan: planStatus('suspended') },
  'tenant resume': { takes: [], maxArguments: 1, plan: planStatus('active') },
  'tenant delete': { takes: ['plan'], maxArguments: 1, plan: planDeletion },
  'key create': { takes: ['tenant', 'operator', 'name', 'scope', 'expires'], maxArguments: 0, plan: planKey },
  'key revoke': { takes: [], maxArguments: 1, plan: planRevocation },
};

export function readArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Rejects unexpected words and options, because the user may have misunderstood the command. */
export function rejectExcess(
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

/** Parses a command that uses the database. Rejects invalid arguments before the database is opened. */
export function planCommand(positionals: string[], values: Values): CommandAction {
  const [first = '', second = ''] = positionals;
  const name = `${first} ${second}` in commands ? `${first} ${second}` : first;
  const args = positionals.slice(name.split(' ').length);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`The command "${positionals.join(' ')}" does not exist.`);
  rejectExcess(args, values, name, command);
  return command.plan(args, values);
}
