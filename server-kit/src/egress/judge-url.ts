import { isIP } from 'node:net';
import { EgressRefusal } from './egress-refusal.ts';
import { isAllowed, isPublicAddress, type Cidr } from './public-address.ts';

/** UTF-16 units of the URL as given. */
const MAX_URL_LENGTH = 2048;

/** Ports from 1024 on that browsers refuse, because another protocol could be tricked there (Fetch, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/**
 * Judges a URL by its form, at the time it is saved and again at each request, and gives it in the canonical form
 * that is requested. What a name resolves to is judged at each connect (connector.ts), never here.
 * Throws EgressRefusal `blocked`; its message may be shown, for it speaks only of what the caller wrote.
 */
export function judgeUrl(raw: string, { allow }: { allow: readonly Cidr[] }): URL {
  if (raw.length > MAX_URL_LENGTH) throw blocked(`is longer than ${MAX_URL_LENGTH} characters`);
  // The URL parser drops tabs and line breaks without a word; what is stored and shown must be what is requested.
  if (/\p{Cc}/u.test(raw)) throw blocked('holds a control character');
  const url = URL.parse(raw);
  if (url === null) throw blocked('is not a valid URL');
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || allow.length === 0)) {
    throw blocked('must begin with https://');
  }
  if (url.username !== '' || url.password !== '') throw blocked('must not hold a user name or password');
  if (!isGoodPort(url)) throw blocked('must use port 443, or one from 1024 on that no other protocol owns');
  judgeLiteral(url, allow);
  url.hash = '';
  return url;
}

/**
 * Throws EgressRefusal `blocked` unless every address may be reached by this protocol: one that is not public
 * among several is a sign of rebinding. Clear text goes only to the networks that the operator listed.
 */
export function judgeAddresses(addresses: readonly string[], protocol: string, allow: readonly Cidr[]): void {
  for (const address of addresses) {
    if (isAllowed(address, allow)) continue;
    if (protocol === 'https:' && isPublicAddress(address)) continue;
    throw blocked('does not lead to the public internet by https');
  }
}

/** The host as sockets and resolvers want it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Number of the port, the protocol's own where none is written. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function judgeLiteral(url: URL, allow: readonly Cidr[]): void {
  const host = hostOf(url);
  if (isIP(host) !== 0) judgeAddresses([host], url.protocol, allow);
}

function isGoodPort(url: URL): boolean {
  const port = portOf(url);
  if (url.port === '' || port === 443) return true;
  return port >= 1024 && !badPorts.has(port);
}

function blocked(what: string): EgressRefusal {
  return new EgressRefusal('blocked', `The URL ${what}.`);
}
