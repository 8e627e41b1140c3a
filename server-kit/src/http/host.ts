import { isIPv6 } from 'node:net';

const shape = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?))(?::(\d{0,5}))?$/;
const maxNameCharacters = 255;
const maxPort = 65_535;

/**
 * The name or address in a Host header or in the authority of a target, in lower case, IPv6 without its brackets.
 * Undefined where it is none: only names that DNS could have are taken, so that nobody behind us can be led astray by the
 * other characters that RFC 3986 §3.2.2 lets through.
 */
export function nameOfHost(host: string): string | undefined {
  const [, address, name, port] = shape.exec(host) ?? [];
  if (port !== undefined && port !== '' && (Number(port) === 0 || Number(port) > maxPort)) return undefined;
  if (address !== undefined) return isIPv6(address) ? address.toLowerCase() : undefined;
  return name !== undefined && name.length <= maxNameCharacters
    ? name.replace(/\.$/, '').toLowerCase()
    : undefined;
}

/** Whether this machine alone can be meant by a name or address. */
export function isLoopback(name: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(name);
}
