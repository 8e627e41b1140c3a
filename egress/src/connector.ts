import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { EgressRefusal } from './egress-refusal.ts';
import { isSameAddress, type Cidr } from './public-address.ts';
import type { NameResolver } from './resolve-name.ts';
import { hostOf, validateAddresses, portOf } from './validate-url.ts';

/** Milliseconds that one of several addresses is waited for. */
const ATTEMPT_TIMEOUT_MS = 3_000;
/** Addresses of one name that are tried. All of them are validated. */
const MAX_ATTEMPTS = 4;

export interface ConnectorOptions {
  allow: readonly Cidr[];
  resolver: NameResolver;
  secureContext: SecureContext;
  /** Milliseconds for the look-up of a name, all tries together. */
  dnsTimeoutMs: number;
}

/**
 * Opens the connection for one request: resolves the name once, refuses it if any address may not be reached,
 * connects to an address so validated and to nothing else, asks the socket where it really went, and only then
 * lets the first byte out, be it TLS (SNI and certificate by the name). Literal addresses take the same way.
 * (An HTTP client's `lookup` option would not do: it is not called for literals.)
 * Throws EgressRefusal `blocked`, `dns`, `refused` or `tls`, or the signal's reason.
 */
export async function openSocket(url: URL, options: ConnectorOptions, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolveOnce(host, options, signal) : [host];
  validateAddresses(addresses, url.protocol, options.allow);
  const socket = await connectToOneOf(addresses, portOf(url), signal);
  return url.protocol === 'https:' ? await secure(socket, host, options.secureContext, signal) : socket;
}

async function resolveOnce(host: string, options: ConnectorOptions, signal: AbortSignal): Promise<string[]> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(options.dnsTimeoutMs)]);
  try {
    const addresses = await unlessAborted(options.resolver(host, bounded), bounded);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof EgressRefusal) throw cause;
    throw new EgressRefusal('dns', 'The name could not be resolved.', { cause });
  }
  throw new EgressRefusal('dns', 'The name has no address.');
}

async function connectToOneOf(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const tried = addresses.slice(0, MAX_ATTEMPTS);
  let cause: unknown;
  for (const [index, address] of tried.entries()) {
    const isLast = index === tried.length - 1;
    try {
      return await connectTo(
        address,
        port,
        isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EgressRefusal) throw error;
      cause = error;
    }
  }
  throw new EgressRefusal('refused', 'The connection was not taken.', { cause });
}

async function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connectTcp({ host: address, port, noDelay: true, lookup: neverLookUp });
  try {
    await settled(socket, 'connect', signal);
    // Systems take 0.0.0.0 for the machine itself, say. Nothing has been sent yet.
    if (!isSameAddress(socket.remoteAddress ?? '', address)) {
      throw new EgressRefusal(
        'blocked',
        'The connection went elsewhere than to the address that was validated.',
      );
    }
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function secure(
  socket: Socket,
  host: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  // RFC 6066 §3: SNI is a name without its final dot, and never an address; the certificate must then hold the address.
  const name = host.replace(/\.$/, '');
  const tls = connectTls({
    socket,
    secureContext,
    host: name,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  try {
    await settled(tls, 'secureConnect', signal);
    return tls;
  } catch (cause) {
    tls.destroy();
    socket.destroy();
    signal.throwIfAborted();
    throw new EgressRefusal('tls', 'No trusted TLS connection came about.', { cause });
  }
}

async function settled(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  // Stays on for the socket's life: an error between two owners must not end the process.
  socket.on('error', () => {});
  await once(socket, event, { signal });
}

function neverLookUp(): never {
  throw new Error('The connector connects to addresses, never to names.');
}
