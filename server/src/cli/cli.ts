import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../infra/context/config.ts';
import { locations } from '../lib/locations.ts';
import { createForOwnerOnly } from '../lib/owner-only.ts';
import {
  type Option,
  planCommand,
  readArguments,
  rejectExcess,
  required,
  type Values,
} from './command-line.ts';
import { commandEnvironment } from './environment.ts';
import { exitWithReason } from './exit.ts';
import { help, UsageError } from './help.ts';

const bulkOptions: readonly Option[] = ['plan', 'url', 'key', 'tenant', 'idempotency-key'];

async function sendBulk([, subject, file]: string[], values: Values): Promise<void> {
  const { bulkCommand, bulkSubjects } = await import('./bulk-command.ts');
  if (!bulkSubjects.includes(required(subject, 'The kind of rows (users or enrolments)')))
    throw new UsageError(`"${subject}" cannot be sent in bulk. Use ${bulkSubjects.join(' or ')}.`);
  const path = required(file, 'FILE');
  if (path !== '-' && !statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`The file ${path} does not exist.`);
  const url = required(values.url ?? process.env.LECTERN_URL, '--url').replace(/\/$/, '');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(`--url ${url} must be a URL such as https://learn.example.com.`);
  const { failed } = await bulkCommand({
    subject: required(subject, 'The kind of rows (users or enrolments)'),
    file: path,
    plan: values.plan === true,
    url,
    key: required(values.key ?? process.env.LECTERN_KEY, '--key'),
    tenant: typeof values.tenant === 'string' ? values.tenant : null,
    idempotencyKey: typeof values['idempotency-key'] === 'string' ? values['idempotency-key'] : null,
  });
  if (failed > 0) process.exitCode = 1;
}

async function printKeys([action = '', ...args]: string[], values: Values): Promise<void> {
  if (!['list', 'rotate', 'remove'].includes(action))
    throw new UsageError(`The command "${`keys ${action}`.trim()}" does not exist.`);
  rejectExcess(args, values, `keys ${action}`, { takes: [], maxArguments: action === 'remove' ? 1 : 0 });
  const keyId = action === 'remove' ? required(args[0], 'KEYID') : '';
  const config = readConfig(commandEnvironment(process.env));
  const { listKeys, removeKey, rotateKeys } = await import('./keys-command.ts');
  const printed =
    action === 'list'
      ? listKeys(config)
      : await (action === 'rotate' ? rotateKeys(config) : removeKey(config, keyId));
  console.log(JSON.stringify(printed, null, 2));
}

async function verifyAudit([action, ...args]: string[], values: Values): Promise<void> {
  if (action !== 'verify')
    throw new UsageError(`The command "${`audit ${action ?? ''}`.trim()}" does not exist.`);
  rejectExcess(args, values, 'audit verify', { takes: ['since'], maxArguments: 1 });
  const { verifyCommand } = await import('./audit-command.ts');
  const input = { backup: args[0] ?? null, since: values.since ?? null };
  const verified = await verifyCommand(readConfig(commandEnvironment(process.env)), input);
  console.log(JSON.stringify(verified, null, 2));
  if (!verified.Intact) process.exitCode = 1;
}

/** Rejects a folder that no service has used, because the service would reject the link. */
async function openConsole(removesPasskeys: boolean): Promise<void> {
  const config = readConfig(commandEnvironment(process.env));
  if (!existsSync(join(config.dataDir, 'packages')))
    throw new UsageError(
      `${config.dataDir} is not the folder of a service. Set DATA_DIR to the service's folder. For a demo, use the command that it printed.`,
    );
  const { createOperatorLink, linkMessage } = await import('../domain/sign-in/operator-links.ts');
  const context = { config, now: () => new Date() };
  const link = await createOperatorLink(context, { removesPasskeys });
  process.stdout.write(linkMessage(link, removesPasskeys));
}

async function backUpOrRestore(action: 'backup' | 'restore', args: string[], values: Values): Promise<void> {
  rejectExcess(args, values, action, {
    takes: action === 'backup' ? ['allow-missing'] : [],
    maxArguments: 1,
  });
  const folder = required(args[0], 'FOLDER');
  const config = readConfig(commandEnvironment(process.env));
  const { backupCommand, restoreCommand } = await import('./backup-command.ts');
  const allowsMissing = values['allow-missing'] === true;
  const done =
    action === 'backup' ? backupCommand(config, { folder, allowsMissing }) : restoreCommand(config, folder);
  console.log(JSON.stringify(await done, null, 2));
}

async function printChecks(args: string[], values: Values): Promise<void> {
  rejectExcess(args, values, 'check', { takes: [], maxArguments: 0 });
  const { checkCommand } = await import('./check-command.ts');
  const checked = await checkCommand(commandEnvironment(process.env));
  console.log(JSON.stringify(checked, null, 2));
  if (!checked.OK) process.exitCode = 1;
}

async function printHealth(args: string[], values: Values): Promise<void> {
  rejectExcess(args, values, 'health', { takes: [], maxArguments: 0 });
  const { readyStatus } = await import('./health-command.ts');
  const status = await readyStatus(readConfig(commandEnvironment(process.env)));
  console.log(JSON.stringify({ ReadyStatus: status }));
  if (status !== 200) process.exitCode = 1;
}

async function verifyBackup([, ...args]: string[], values: Values): Promise<void> {
  rejectExcess(args, values, 'backup verify', { takes: [], maxArguments: 1 });
  const folder = required(args[0], 'FOLDER');
  const { verifyBackupCommand } = await import('./backup-command.ts');
  const verified = await verifyBackupCommand(readConfig(commandEnvironment(process.env)), folder);
  console.log(JSON.stringify(verified, null, 2));
  if (!verified.Verified) process.exitCode = 1;
}

/** Isolated imports and the lock on the data folder require this Node.js version. */
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
  const { positionals, values } = readArguments(process.argv.slice(2));
  const [first = 'help', ...args] = positionals;
  if (values.version && positionals.length === 0) return console.log(installedVersion());
  if (values.help || first === 'help') return console.log(help);
  if (first === 'bulk') {
    rejectExcess(args, values, 'bulk', { takes: bulkOptions, maxArguments: 2 });
    return sendBulk(positionals, values);
  }
  if (first === 'serve') {
    rejectExcess(args, values, first, { takes: [], maxArguments: 0 });
    return (await import('./main.ts')).serve();
  }
  if (first === 'backup' && args[0] === 'verify') return verifyBackup(args, values);
  if (first === 'backup' || first === 'restore') return backUpOrRestore(first, args, values);
  if (first === 'keys') return printKeys(args, values);
  if (first === 'audit') return verifyAudit(args, values);
  if (first === 'console') {
    rejectExcess(args, values, first, { takes: ['remove-passkeys'], maxArguments: 0 });
    return openConsole(values['remove-passkeys'] === true);
  }
  if (first === 'demo') {
    rejectExcess(args, values, first, { takes: ['once'], maxArguments: 0 });
    return (await import('./demo.ts')).demo({ once: values.once === true });
  }
  if (first === 'check') return printChecks(args, values);
  if (first === 'health') return printHealth(args, values);
  const act = planCommand(positionals, values);
  const config = readConfig(commandEnvironment(process.env));
  const loaded = await import('./commands.ts');
  const creates = first === 'migrate';
  const answer = await loaded.withDatabase(config, (ctx) => act(loaded, ctx), { creates });
  console.log(JSON.stringify(answer, null, 2));
}

await main().catch(exitWithReason);
