import { isLoopback } from './loopback.ts';
import { isMailAddress } from './mail/address.ts';
import { ConfigError, type Environment } from './settings.ts';

export type MailServer = {
  readonly host: string;
  readonly port: number;
  /**
   * `implicit` means TLS from the first byte. `starttls` means that the connection must be upgraded
   * to TLS.
   */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly user: string | null;
  readonly password: string | null;
  /** The sender's address. */
  readonly from: string;
};

const defaultPorts = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Error messages never show the URL, because it may contain a password. */
export function mailServer(env: Environment): MailServer | null {
  const { SMTP_URL: text, MAIL_FROM: from = '' } = env;
  if (!text) return null;
  if (!/^smtps?:\/\//.test(text)) throw new ConfigError('SMTP_URL', 'must begin with smtp:// or smtps://.');
  const url = URL.canParse(text) ? new URL(text) : null;
  const isKnown = url?.search === '' || url?.search === '?tls=none';
  if (!url?.hostname || !isKnown || url.hash || !['', '/'].includes(url.pathname))
    throw new ConfigError('SMTP_URL', 'must name a server, as in smtp://user:password@mail.example:587.');
  if (from === '')
    throw new ConfigError(
      'MAIL_FROM',
      'is required with SMTP_URL. Set it to the sender address of all emails.',
    );
  if (!isMailAddress(from))
    throw new ConfigError(
      'MAIL_FROM',
      `must be an address such as noreply@lectern.example, but is "${from}".`,
    );
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, ...transportOf(url, host), ...credentialsOf(url), from };
}

function transportOf(url: URL, host: string): Pick<MailServer, 'port' | 'tls'> {
  const isImplicit = url.protocol === 'smtps:';
  if (isImplicit && url.search !== '')
    throw new ConfigError('SMTP_URL', 'has tls=none, which needs smtp:// instead of smtps://.');
  const port = Number(url.port) || defaultPorts[isImplicit ? 'smtps:' : 'smtp:'];
  if (isImplicit) return { port, tls: 'implicit' };
  return { port, tls: url.search !== '' || isLoopback(host) ? 'none' : 'starttls' };
}

function credentialsOf({ username, password }: URL): Pick<MailServer, 'user' | 'password'> {
  if (username === '') return { user: null, password: null };
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch (cause) {
    throw new ConfigError('SMTP_URL', 'has a % that is not part of a percent-encoded character.', { cause });
  }
}
