import { isIPv6 } from 'node:net';

const shape = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?))(?::(\d{0,5}))?$/;
const maxNameCharacters = 255;
const maxPort = 65_535;

/**
 * Returns the name or address of a Host header or of the authority in a target: in lower case, IPv6 without brackets.
 * Returns `undefined` when it is invalid. Accepts only names that are possible in DNS, because the other characters of
 * RFC 3986 §3.2.2 could mislead programs behind us.
 */
export function nameOfHost(host: string): string | undefined {
  const [, address, name, port] = shape.exec(host) ?? [];
  if (port !== undefined && port !== '' && (Number(port) === 0 || Number(port) > maxPort)) return undefined;
  if (address !== undefined) return isIPv6(address) ? address.toLowerCase() : undefined;
  return name !== undefined && name.length <= maxNameCharacters
    ? name.replace(/\.$/, '').toLowerCase()
    : undefined;
}

/** Returns whether a name or address can only mean this machine. */
export function isLoopback(name: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(name);
}
