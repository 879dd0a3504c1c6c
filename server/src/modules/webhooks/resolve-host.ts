import { promises as dns, type LookupAddress } from 'node:dns';

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
export function resolveBySystem(name: string): Promise<LookupAddress[]> {
  return dns.lookup(name, { all: true, verbatim: true });
}
