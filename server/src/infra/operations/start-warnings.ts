import type { Engine } from '../../db/engine/engine.ts';
import { isLoopback } from '../../lib/address.ts';
import { nearest } from '../../lib/nearest.ts';
import { settings } from '../../lib/settings.ts';
import type { Config } from '../context/config.ts';

type Environment = Record<string, string | undefined>;

/** Problems to fix before relying on the service, as sentences for the start-up log. */
export function startWarnings(config: Config, env: Environment): string[] {
  const warnings: string[] = [];
  if (config.databaseUrl !== null && isUnencrypted(config.databaseUrl, env))
    warnings.push(
      'The connection to PostgreSQL does not require TLS: anyone on the network path could read and change all data. Add sslmode=verify-full to DATABASE_URL.',
    );
  if (config.trustProxy && !env.BASE_URL)
    warnings.push(
      `TRUST_PROXY is set and BASE_URL is not: launch links begin with ${config.baseUrl}. Set BASE_URL to the address of the proxy.`,
    );
  for (const name of Object.keys(env)) {
    const meant = names.includes(name) ? null : nearest(name, names, (one) => one);
    if (meant) warnings.push(`${name} is not a setting and has no effect. Did you mean ${meant}?`);
  }
  return warnings;
}

const names = Object.values(settings).flatMap((group) => Object.keys(group));

const encrypted = ['require', 'verify-ca', 'verify-full'];

/**
 * Whether data may leave this machine without TLS. Data sent through a Unix socket or loopback does not leave
 * the machine.
 */
function isUnencrypted(databaseUrl: string, env: Environment): boolean {
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = (searchParams.get('host') ?? decodeURIComponent(hostname)).replace(/^\[(.*)\]$/, '$1');
  if (host === '' || host.startsWith('/') || isLoopback(host)) return false;
  return !encrypted.includes(searchParams.get('sslmode') ?? env.PGSSLMODE ?? '');
}

/** `pg_trgm` leaves out the characters that are not letters in the locale of the database. */
export async function searchWarnings(engine: Engine): Promise<string[]> {
  const text = `select cardinality(show_trgm('безопасность')) = 0 as "isBlind"`;
  const { rows } = await engine.query<{ isBlind: boolean }>({ text, values: [] });
  return rows[0]?.isBlind
    ? [
        'Searches for words in Cyrillic, Chinese and other scripts are slow, because LC_CTYPE of the database is C. Create the database with a UTF-8 locale such as C.UTF-8, and restore a backup into it.',
      ]
    : [];
}
