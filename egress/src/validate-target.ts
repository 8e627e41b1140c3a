import { isIP } from 'node:net';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { type Cidr, isAllowed } from './public-address.ts';
import { dnsResolver, type NameResolver } from './resolve-name.ts';
import { isLocalName } from './validate-host.ts';
import { blocked, hostOf, validateAddresses, validateUrl } from './validate-url.ts';

/** Milliseconds to wait for name servers before a URL is saved. */
const LOOK_UP_MS = 3_000;

export interface TargetOptions {
  /** Blocks of addresses that are allowed although they are not public, also by http. */
  allow: readonly Cidr[];
  /** Default: the system's name servers. */
  resolver?: NameResolver | undefined;
}

/**
 * Validates a URL that somebody wants to save: by its form and, where only DNS can decide, by the addresses that its
 * name has now. This check is stricter than the check of later requests: it refuses a fragment or a final dot of the
 * host, which would be dropped or have no meaning. Http, and names without a meaning on the public internet, are
 * allowed only for the listed networks: all addresses of such a name must be in these networks. `lookUp: 'all'` also
 * looks up other https names: it refuses a name with an address that is not public, and accepts a name that cannot be
 * looked up at the moment. Each connect validates everything again.
 * `service/src/webhooks/endpoints/validate-endpoint.ts` and `service/src/uploads/create-upload.ts` call this. Throws
 * EgressRefusal `blocked`; its message may be shown.
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
