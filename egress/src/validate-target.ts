import { isIP } from 'node:net';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { type Cidr, isAllowed } from './public-address.ts';
import { dnsResolver, type NameResolver } from './resolve-name.ts';
import { isLocalName } from './validate-host.ts';
import { blocked, hostOf, validateAddresses, validateUrl } from './validate-url.ts';

/** Milliseconds that name servers are waited for before a URL is saved. */
const LOOK_UP_MS = 3_000;

export interface TargetOptions {
  /** Blocks that may be reached though they are not public, and by http too. */
  allow: readonly Cidr[];
  /** Default: the system's name servers. */
  resolver?: NameResolver | undefined;
}

/**
 * Validates a URL that somebody wants to save, by its form and, where only DNS can tell, by what its name leads to now.
 * It is stricter than what is requested later: a fragment or a final dot of the host would be dropped or mean nothing.
 * Http, and names without a meaning on the public internet, are for the listed networks alone: such a name must lead
 * there and nowhere else. `lookUp: 'all'` also refuses an https name that leads to an address which is not public; one
 * that nobody can look up just then stays. Everything is validated again at each connect.
 * Throws EgressRefusal `blocked`; its message may be shown.
 */
export async function validateTarget(
  raw: string,
  { allow, resolver = dnsResolver(), lookUp }: TargetOptions & { lookUp: 'all' | 'where needed' },
): Promise<URL> {
  const url = validateUrl(raw, { allow });
  if (raw.includes('#')) throw blocked('must not have a fragment (what follows #): it is never sent');
  const host = hostOf(url);
  if (host.endsWith('.')) throw blocked('has a host that ends with a dot: leave the dot out');
  if (isIP(host) !== 0) return url;
  const mustBeListed = url.protocol === 'http:' || isLocalName(host);
  if (!mustBeListed && lookUp !== 'all') return url;
  const addresses = await lookUpNow(host, resolver);
  if (!mustBeListed) {
    validateAddresses(addresses, url.protocol, allow);
  } else if (addresses.length === 0 || !addresses.every((address) => isAllowed(address, allow))) {
    throw blocked(notListed(url), 'network');
  }
  return url;
}

async function lookUpNow(host: string, resolver: NameResolver): Promise<string[]> {
  const signal = AbortSignal.timeout(LOOK_UP_MS);
  try {
    return await unlessAborted(resolver(host, signal), signal);
  } catch {
    return [];
  }
}

function notListed({ protocol, hostname }: URL): string {
  return protocol === 'http:'
    ? 'must begin with https://, for its host does not lead into the networks that the operator allows'
    : `has the host ${hostname}, which does not lead into the networks that the operator allows`;
}
