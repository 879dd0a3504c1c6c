import { ConfigError, type Environment } from './settings.ts';

/** Error messages never show the URL, because it may contain a password. */
export function databaseUrl(env: Environment): string | null {
  const text = env.DATABASE_URL;
  if (!text) return null;
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new ConfigError('DATABASE_URL', 'must begin with postgres:// or postgresql://.');
  if (!URL.canParse(text) || (new URL(text).hostname === '' && !text.includes('host=')))
    throw new ConfigError('DATABASE_URL', 'must name a server, as in postgres://user@host:5432/database.');
  return text;
}
