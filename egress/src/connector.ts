import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { EgressRefusal } from './egress-refusal.ts';
import { isSameAddress, type Cidr } from './public-address.ts';
import type { NameResolver } from './resolve-name.ts';
import { hostOf, validateAddresses, portOf } from './validate-url.ts';

/** Milliseconds to wait for one of several addresses. */
const ATTEMPT_TIMEOUT_MS = 3_000;
/** The maximum number of addresses of a name that are tried. All addresses are validated. */
const MAX_ATTEMPTS = 4;

export interface ConnectorOptions {
  allow: readonly Cidr[];
  resolver: NameResolver;
  secureContext: SecureContext;
  /** Milliseconds for the look-up of a name, including all retries. */
  dnsTimeoutMs: number;
}

/**
 * Opens the connection for one request. Resolves the name once and refuses it if any address is not allowed. Connects
 * only to a validated address and then checks the socket's real remote address. Only after that sends the first byte,
 * which may be TLS (SNI and certificate by the name). Literal addresses are checked in the same way. (The `lookup`
 * option of an HTTP client would not be enough, because it is not called for literals.) Throws EgressRefusal `blocked`,
 * `dns`, `refused` or `tls`, or the signal's reason.
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
    // For example, systems treat 0.0.0.0 as the machine itself. Nothing has been sent yet.
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
  // RFC 6066 §3: SNI is a name without its final dot, never an address. For an address, the certificate must contain
  // it.
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
  // This listener stays for the socket's life: an error while nobody else listens must not end the process.
  socket.on('error', () => {});
  await once(socket, event, { signal });
}

function neverLookUp(): never {
  throw new Error('The connector connects to addresses, never to names.');
}
