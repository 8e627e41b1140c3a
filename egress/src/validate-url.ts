import { isIP } from 'node:net';
import { type BlockedIssue, EgressRefusal } from './egress-refusal.ts';
import { isAllowed, isPublicAddress, type Cidr } from './public-address.ts';
import { hostIssue, isLocalName } from './validate-host.ts';

/** The maximum number of UTF-16 units of the URL as given. */
const MAX_URL_LENGTH = 2048;

/** Ports from 1024 that browsers refuse, because another protocol could be tricked there (Fetch, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** A scheme, and the part between `//` and the path: user name, host and port. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i;
const PORT = /:\d*$/;
const PORT_RULE = 'must use port 443, or one from 1024 to 65535 that no other protocol owns';

/**
 * Validates a URL by its form, when it is saved and again at each request. Returns it in the canonical form for the
 * request, without its fragment. Does not check what a name resolves to: validate-target.ts checks that when the URL is
 * saved, connector.ts at each connect. Throws EgressRefusal `blocked`. Its message may be shown, because it contains
 * only what the caller wrote. `validate-target.ts` also refuses a fragment, for URLs that are saved and for references.
 */
export function validateUrl(raw: string, { allow }: { allow: readonly Cidr[] }): URL {
  if (raw.length > MAX_URL_LENGTH) throw blocked(`is longer than ${MAX_URL_LENGTH} characters`);
  // The URL parser drops tabs, line breaks and outer spaces. The stored and shown URL must be the one that is
  // requested.
  if (/\p{Cc}/u.test(raw)) throw blocked('holds a control character');
  if (raw !== raw.trim()) throw blocked('begins or ends with a space');
  const authority = AUTHORITY.exec(raw)?.[1];
  if (authority === undefined) throw blocked('is not a valid URL: it must begin with https://');
  const url = URL.parse(raw);
  if (url === null) throw blocked(unreadable(authority));
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || allow.length === 0))
    throw blocked('must begin with https://', 'network');
  const host = hostOf(url);
  if (isIP(host) !== 0) validateAddresses([host], url.protocol, allow);
  if (authority.includes('@')) throw blocked('must not hold a user name or password');
  const issue = hostIssue(authority.replace(PORT, ''), host);
  if (issue !== undefined) throw blocked(issue);
  if (isLocalName(host) && allow.length === 0)
    throw blocked(`has the host ${host}, which is no name on the public internet`, 'network');
  if (!isGoodPort(url)) throw blocked(PORT_RULE);
  url.hash = '';
  return url;
}

/**
 * Throws EgressRefusal `blocked` unless this protocol is allowed for every address. A private address among several is
 * a sign of rebinding. Http is allowed only for the networks that the operator listed.
 */
export function validateAddresses(
  addresses: readonly string[],
  protocol: string,
  allow: readonly Cidr[],
): void {
  for (const address of addresses) {
    if (isAllowed(address, allow)) continue;
    if (protocol === 'https:' && isPublicAddress(address)) continue;
    throw blocked('does not lead to the public internet by https', 'address');
  }
}

/** Returns the host for sockets and resolvers: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Returns the port number; the default port of the protocol when the URL has none. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Returns why the URL parser refuses a URL that has a scheme and `//`. */
function unreadable(authority: string): string {
  const host = authority.replace(/^.*@/, '').replace(PORT, '');
  const port = authority.slice(authority.lastIndexOf(':') + 1);
  if (host === '') return 'has no host';
  if (host.startsWith('[')) return 'has an IPv6 address that is none, or that names a zone';
  if (/^\d+$/.test(port) && Number(port) > 65_535) return PORT_RULE;
  const last = host.replace(/\.$/, '').split('.').at(-1) ?? '';
  if (/^(?:\d+|0x[\da-f]*)$/i.test(last)) return 'has a host that ends in a number and is no IPv4 address';
  return 'is not a valid URL: its host or port cannot be read';
}

function isGoodPort(url: URL): boolean {
  const port = portOf(url);
  if (url.port === '' || port === 443) return true;
  return port >= 1024 && !badPorts.has(port);
}

/** Creates the refusal of a URL. `what` continues the sentence after "The URL", without the full stop. */
export function blocked(what: string, issue: BlockedIssue = 'form'): EgressRefusal {
  return new EgressRefusal('blocked', `The URL ${what}.`, { issue });
}
