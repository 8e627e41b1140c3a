import { readFileSync } from 'node:fs';

/** Where to listen. `name` is the environment variable for the port. */
export type ListenTarget = { name: string; host: string; port: number };

/** Ports below this need a privilege, unless the system is configured differently. */
const defaultMinFreePort = 1_024;

/** Explains to an operator in one sentence why a port could not be opened and what to do. */
export function explainListenError({ name, host, port }: ListenTarget, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use: stop what uses it, or set ${name} to another port.`;
    case 'EACCES':
      return forbidden(name, port, minFreePort());
    case 'EADDRNOTAVAIL':
      return `HOST is ${JSON.stringify(host)}, which is no address of this machine: set it to 127.0.0.1, 0.0.0.0 or one of its addresses.`;
    case 'ENOTFOUND':
      return `HOST is ${JSON.stringify(host)}, a name that leads nowhere: set it to 127.0.0.1, 0.0.0.0 or an address of this machine.`;
    default:
      return `Port ${port} on ${host} cannot be opened (${String(code)}): set ${name} to another.`;
  }
}

function forbidden(name: string, port: number, minFree: number): string {
  if (port >= minFree)
    return `Port ${port} may not be opened by this user, a rule of this machine forbids it: allow it there, or set ${name} to another port.`;
  const rule = `Port ${port} may not be opened by this user: ports below ${minFree} are for root, or for programs that were given the right`;
  const instead = `Set ${name} to ${minFree} or more and let a reverse proxy listen on ${port}`;
  if (process.platform !== 'linux') return `${rule}. ${instead}.`;
  return `${rule} (CAP_NET_BIND_SERVICE). ${instead}, or lower the kernel's limit: sysctl -w net.ipv4.ip_unprivileged_port_start=${port}.`;
}

function minFreePort(): number {
  if (process.platform !== 'linux') return defaultMinFreePort;
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return defaultMinFreePort;
  }
}
