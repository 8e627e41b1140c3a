import type { IncomingMessage } from 'node:http';
import { nameOfHost } from './host.ts';
import type { HttpError } from './http-error.ts';

export const maxHeaderBytes = 16 * 1024;
export const maxHeaders = 100;
export const headersTooLarge = `The headers are larger than ${maxHeaderBytes / 1024} KB or more than ${maxHeaders}.`;

const absoluteTarget = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Returns what is wrong with the head of a request that the parser accepted; `undefined` when it is valid. Refuses
 * everything that two parties might read differently, because an attacker could exploit the difference (RFC 9112 §3.2,
 * §6.1). Changes a target that contains a host (§3.2.2) to a target without one, and uses its host as the Host header.
 */
export function headErrorOf(request: IncomingMessage): HttpError | undefined {
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length > 2 * maxHeaders) return { reason: 'headers_too_large', detail: headersTooLarge };
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed('The request is of a version of HTTP that is not spoken here.');
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length === 0 && httpVersion !== '1.0') return malformed('The request has no Host header.');
  if (hosts.length > 1) return malformed('The request has more than one Host header.');
  if (hosts[0] !== undefined && !isHost(hosts[0]))
    return malformed('The Host header is not a host with a port or without.');
  return encodingErrorOf(request) ?? targetErrorOf(request);
}

let lastHost = '';

/** Most requests have the same host as the request before. */
function isHost(host: string): boolean {
  if (host === lastHost) return host !== '';
  if (nameOfHost(host) === undefined) return false;
  lastHost = host;
  return true;
}

/** The parser guarantees that `chunked` is last and that there is no Content-Length as well. */
function encodingErrorOf({ headers, rawHeaders, httpVersion }: IncomingMessage): HttpError | undefined {
  if (headers['transfer-encoding'] === undefined) return undefined;
  const encodings = valuesOf(rawHeaders, 'transfer-encoding');
  if (httpVersion === '1.0') return malformed('HTTP/1.0 has no Transfer-Encoding.');
  return encodings.length === 1 && encodings[0]?.toLowerCase() === 'chunked'
    ? undefined
    : malformed('The Transfer-Encoding is not one that is taken here: chunked, once.');
}

function targetErrorOf(request: IncomingMessage): HttpError | undefined {
  const { url = '' } = request;
  if (url.startsWith('/')) return undefined;
  // There is no answer for the server as a whole (RFC 9110 §9.3.7).
  if (url === '*' && request.method === 'OPTIONS')
    return { reason: 'not_found', detail: 'There is nothing at this address.' };
  const [, host, rest] = absoluteTarget.exec(url) ?? [];
  if (host === undefined || rest === undefined || nameOfHost(host) === undefined)
    return malformed('The target of the request is neither a path nor an http address.');
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
  return undefined;
}

function malformed(detail: string): HttpError {
  return { reason: 'malformed', detail };
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) values.push(rawHeaders[i + 1] as string);
  }
  return values;
}
