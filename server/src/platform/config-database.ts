import { ConfigError, type Environment } from './settings.ts';

/** Error messages never show the URL, because it may contain a password. */
function databaseUrl(env: Environment, name: 'DATABASE_URL' | 'DATABASE_READ_URL'): string | null {
  const text = env[name];
  if (!text) return null;
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new ConfigError(name, 'must begin with postgres:// or postgresql://.');
  if (!URL.canParse(text) || (new URL(text).hostname === '' && !text.includes('host=')))
    throw new ConfigError(name, 'must name a server, as in postgres://user@host:5432/database.');
  return text;
}

type DatabaseUrls = { databaseUrl: string | null; databaseReadUrl: string | null };

export function databaseUrls(env: Environment): DatabaseUrls {
  const urls = {
    databaseUrl: databaseUrl(env, 'DATABASE_URL'),
    databaseReadUrl: databaseUrl(env, 'DATABASE_READ_URL'),
  };
  if (urls.databaseReadUrl !== null && urls.databaseUrl === null)
    throw new ConfigError(
      'DATABASE_READ_URL',
      'needs DATABASE_URL, because the embedded database has no replicas. Set both, or remove DATABASE_READ_URL.',
    );
  return urls;
}
