import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from '../lib/settings.ts';
import { UsageError } from './help.ts';

/** The settings of the service that `deploy/lectern.service` runs. */
export const settingsFile = '/etc/lectern.env';

/**
 * The settings for a command. A command that is typed beside a systemd service lacks the service's environment; it would
 * use other data, so it reads the service's settings.
 */
export function commandEnvironment(env: NodeJS.ProcessEnv, file = settingsFile): Environment {
  if (env.DATA_DIR || env.DATABASE_URL || !existsSync(file)) return env;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(
      `${file} has the settings of the service, but this user cannot read it. Run the command with sudo, or set DATA_DIR.`,
    );
  }
  process.stderr.write(`Using the settings in ${file}.\n`);
  return { ...parseEnv(text), ...env };
}
