import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

/** The maximum length of a name in a DNS message, and of one of its labels (RFC 1035 §2.3.4). */
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** Letters and digits, with hyphens only inside (RFC 1123 §2.1). Underscores violate the RFC but are in use. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/** Endings for which no name server may answer (RFC 6761 §6.4, RFC 7686, RFC 9476). */
const impossibleEndings = ['invalid', 'onion', 'alt'];
/**
 * Endings that are never public but that private networks may use (RFC 6761 §6.2 and §6.3, RFC 6762, RFC 8375, ICANN
 * for `internal`).
 */
const localEndings = ['localhost', 'local', 'internal', 'home.arpa', 'test'];

/**
 * Returns what is wrong with the host of a URL, as the rest of a sentence that begins with "The URL"; `undefined` when
 * it is valid. `validateUrl` in `validate-url.ts` refuses the URL. `raw`: the host as it was written, without port.
 * `host`: as the URL parser reads it, without brackets.
 */
export function hostIssue(raw: string, host: string): string | undefined {
  const version = isIP(host);
  if (version === 6) return undefined;
  // Different programs read decimal, octal and hexadecimal forms differently.
  if (version === 4)
    return raw === host ? undefined : `must write its IPv4 address as four decimal numbers, here as ${host}`;
  const name = withoutFinalDot(host);
  const labels = name.split('.');
  if (labels.includes('')) return 'has a host with an empty part: its parts are divided by single dots';
  if (name.length > MAX_NAME_LENGTH) return `has a host of more than ${MAX_NAME_LENGTH} characters`;
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH))
    return `has a host with a part of more than ${MAX_LABEL_LENGTH} characters`;
  if (!labels.every((label) => LABEL.test(label)))
    return 'has a host that is no name: its parts are letters, digits and hyphens, and none begins or ends with a hyphen';
  if (labels.some((label) => label.startsWith('xn--')) && !isPunycode(name))
    return 'has a host with a part that begins with xn-- and is no valid Punycode';
  if (endsWithOneOf(name, impossibleEndings))
    return `has a host that nobody can have: .${labels.at(-1)} is reserved`;
  return undefined;
}

/** Returns whether a valid name has a meaning only in a private network. */
export function isLocalName(host: string): boolean {
  const name = withoutFinalDot(host);
  return isIP(host) === 0 && (!name.includes('.') || endsWithOneOf(name, localEndings));
}

/** The final dot marks a complete name. Here all names are complete, because no search list is used. */
function withoutFinalDot(host: string): string {
  return host.replace(/\.$/, '');
}

/** Needed because the URL parser accepts any text that begins with `xn--`. */
function isPunycode(host: string): boolean {
  const unicode = domainToUnicode(host);
  return unicode !== '' && !unicode.includes('xn--') && domainToASCII(unicode) === host;
}

function endsWithOneOf(host: string, endings: readonly string[]): boolean {
  return endings.some((ending) => host === ending || host.endsWith(`.${ending}`));
}
