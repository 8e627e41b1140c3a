import { Resolver } from 'node:dns/promises';
import { EgressRefusal } from './egress-refusal.ts';

/** One look-up of all addresses of a name. Rejects when there are none or the signal is raised. */
export type NameResolver = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/** First wait for one name server, milliseconds; it doubles with each try. */
const TRY_TIMEOUT_MS = 1_500;
const TRIES = 2;

/**
 * Asks the system's name servers (or those given, as `address:port`), anew each time: a new resolver holds no cache.
 * Not getaddrinfo: that blocks one of the process's four worker threads for as long as a hostile name server likes.
 * The machine's hosts file and search domains are therefore not asked.
 */
export function dnsResolver({ servers }: { servers?: readonly string[] } = {}): NameResolver {
  return async (hostname, signal) => {
    // RFC 6761 §6.3: localhost is nobody's to answer but ours. The connector then validates it as any other address.
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

/** IPv4 first: a machine without IPv6 then loses no time on addresses that it cannot reach. */
async function resolveBoth(resolver: Resolver, hostname: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const cause: unknown = answers.find((answer) => answer.status === 'rejected')?.reason;
  throw new EgressRefusal('dns', 'The name has no address.', { cause });
}
