import { promises as dns, type LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { Config } from '../../../infra/context/config.ts';
import { Problem } from '../../../lib/errors.ts';

const deadlineMilliseconds = 5_000;

/**
 * Resolves a name by querying the name servers directly. The system's resolver has two threads for the whole process,
 * and a name whose server does not respond blocks one of them for ten seconds. `servers` replaces the system's name
 * servers.
 */
export async function resolveHost(name: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new dns.Resolver({ timeout: 1_500, tries: 2 });
  if (servers) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), deadlineMilliseconds);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(deadline);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return [
    ...(ipv4.status === 'fulfilled' ? ipv4.value : []).map((address) => ({ address, family: 4 })),
    ...(ipv6.status === 'fulfilled' ? ipv6.value : []).map((address) => ({ address, family: 6 })),
  ];
}

/**
 * For names that the operator listed, uses the system's resolver, which also supports /etc/hosts and search
 * domains.
 */
function resolveBySystem(name: string): Promise<LookupAddress[]> {
  return dns.lookup(name, { all: true, verbatim: true });
}

/**
 * IPv4 networks outside the public internet (IANA special-purpose registry), and the metadata
 * address of a cloud provider.
 */
const notPublic = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/**
 * In IPv6, only 2000::/3 is the public internet, except for these networks for tunnels, documentation and
 * similar purposes.
 */
const notPublic6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

const blocked = new BlockList();
for (const [network, bits] of notPublic) blocked.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of notPublic6) blocked.addSubnet(network, bits, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !blocked.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6') && !isIsatap(address);
}

/**
 * Whether this is an ISATAP address (RFC 5214) in any network. ISATAP tunnels to the IPv4 address
 * in the last 32 bits.
 */
function isIsatap(address: string): boolean {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const last = (tail ?? head).split(':');
  const interfaceId = [...Array<string>(4).fill('0'), ...last].slice(-4);
  return interfaceId[1] === '5efe' && ['0', '200'].includes(interfaceId[0] ?? '');
}

export type AllowedConfig = Pick<Config, 'webhookAllow'>;

function isAllowed(config: AllowedConfig, host: string, address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return config.webhookAllow.some((entry) => {
    const [network = '', bits] = entry.split('/');
    const version = isIP(network);
    if (version === 0) return entry === host;
    const list = new BlockList();
    list.addSubnet(network, Number(bits ?? (version === 6 ? 128 : 32)), version === 6 ? 'ipv6' : 'ipv4');
    return list.check(address, family);
  });
}

/** Explains in a sentence why a webhook must not be sent to an address. */
export class AddressRejected extends Error {}

type CheckedHost = { addresses: LookupAddress[]; allowed: boolean };

/** Traffic to `localhost` never leaves this machine, and the operator has chosen the names in WEBHOOK_ALLOW. */
function usesSystemResolver({ webhookAllow }: AllowedConfig, name: string): boolean {
  return name === 'localhost' || webhookAllow.includes(name);
}

/** All addresses of a host. If even one of them is in a private network, the host is rejected. */
export async function resolveChecked(config: AllowedConfig, host: string): Promise<CheckedHost> {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const version = isIP(name);
  const addresses =
    version === 0
      ? await (usesSystemResolver(config, name) ? resolveBySystem : resolveHost)(name)
      : [{ address: name, family: version }];
  if (addresses.length === 0) throw new AddressRejected(`${host} has no address.`);
  const allowed = addresses.every(({ address }) => isAllowed(config, name, address));
  const refused = addresses.find(({ address }) => !isPublic(address) && !isAllowed(config, name, address));
  if (refused)
    throw new AddressRejected(`${host} resolves to ${refused.address}, which is not a public address.`);
  return { addresses, allowed };
}

/**
 * At registration, the URL must use HTTPS on the public internet or be listed in WEBHOOK_ALLOW. With `mayBeUnknown`, the
 * DNS need not know the host yet. Each connection checks the address again.
 */
export async function checkUrl(
  config: AllowedConfig,
  text: string,
  param = 'URL',
  { mayBeUnknown = false } = {},
): Promise<string> {
  const refuse = (reason: string) =>
    new Problem(
      'webhook_address_refused',
      `${reason} Use an https URL on the public internet, or ask the operator to list the host in WEBHOOK_ALLOW.`,
      { param },
    );
  if (!URL.canParse(text)) throw refuse(`${param} is not a valid URL.`);
  const url = new URL(text);
  if (url.username || url.password) throw refuse(`${param} contains a user name or a password.`);
  const checked = await resolveChecked(config, url.hostname).catch((error: unknown) => {
    if (error instanceof AddressRejected) throw refuse(error.message);
    if (mayBeUnknown) return { allowed: false };
    throw new Problem(
      'webhook_address_refused',
      `The host ${url.hostname} cannot be found. Check its spelling.`,
      { param },
    );
  });
  if (url.protocol !== 'https:' && !checked.allowed) throw refuse(`${param} does not begin with https.`);
  return url.href;
}
