import { Resolver } from 'node:dns/promises';
import { EgressRefusal } from './egress-refusal.ts';

/** Looks up all addresses of a name once. Rejects when there are none or the signal aborts. */
export type NameResolver = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/** The first wait for one name server, in milliseconds; it doubles with each try. */
const TRY_TIMEOUT_MS = 1_500;
const TRIES = 2;

/**
 * Creates a resolver that asks the system's name servers (or `servers`, as `address:port`) for each look-up: it uses a
 * new Resolver each time, which has no cache. Does not use getaddrinfo, because a hostile name server could block one
 * of the process's four worker threads with it. So the machine's hosts file and search domains are not used.
 */
export function dnsResolver({ servers }: { servers?: readonly string[] } = {}): NameResolver {
  return async (hostname, signal) => {
    // RFC 6761 §6.3: only this machine may answer for localhost. The connector then validates the address like any
    // other.
    if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1'];
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers([...servers]);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await resolveBoth(resolver, hostname);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/**
 * Looks up IPv4 and IPv6 addresses. IPv4 comes first, so that a machine without IPv6 loses no time on addresses that it
 * cannot reach.
 */
async function resolveBoth(resolver: Resolver, hostname: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const cause: unknown = answers.find((answer) => answer.status === 'rejected')?.reason;
  throw new EgressRefusal('dns', 'The name has no address.', { cause });
}
