/// <reference types="node" preserve="true" />
import { createWriteStream, openAsBlob } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inspect } from 'node:util';

/**
 * Opens a file of this machine for a request: `rk.images.edit({ image: fromPath('lake.jpg'), … })`. The bytes are read
 * while they are sent, so the whole file is never in memory.
 *
 * @throws Error of the file system when there is no such file.
 */
export async function fromPath(path: string): Promise<File> {
  const blob = await openAsBlob(path);
  return new File([blob], basename(path));
}

/** What `save` can write: an output or any object with a link, a preview or its event, a response, or bytes. */
export type Savable =
  | { url: string }
  | { fetch(): Promise<Response> }
  | { preview: { fetch(): Promise<Response> } }
  | Response
  | Blob;

/**
 * Writes an output to a file: `await save(generation.outputs[0], 'lighthouse.jpg')`. On an error no partial file
 * remains.
 *
 * @throws Error when the link answers with a status other than 2xx, or an error of the file system.
 */
export async function save(source: Savable, path: string): Promise<void> {
  const body = await bodyOf(source);
  const partial = `${path}.${crypto.randomUUID().slice(0, 8)}.part`;
  try {
    await pipeline(
      Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
      createWriteStream(partial),
    );
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function bodyOf(source: Savable): Promise<ReadableStream<Uint8Array>> {
  if (source instanceof Blob) return source.stream();
  if ('preview' in source) return bodyOf(source.preview);
  const response =
    source instanceof Response ? source : await ('fetch' in source ? source.fetch() : fetch(source.url));
  if (!response.ok || response.body === null)
    throw new Error(`${response.url || 'the response'} answered ${response.status}; retrieve a fresh link.`);
  return response.body;
}

/**
 * Adapts a handler of Request and Response to `node:http`, Express (before any body parser) and similar servers. When
 * the handler throws, the server answers 500 and `onError` receives the error; by default `onError` writes to stderr.
 * The response is sent while it arrives, so it may be a stream.
 */
export function toNodeHandler(
  handle: (request: Request) => Promise<Response>,
  onError: (error: unknown) => void = (error) => process.stderr.write(`${inspect(error)}\n`),
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const answer = await handle(requestOf(incoming, gone.signal)).catch((error: unknown) => {
      onError(error);
      return new Response(null, { status: 500 });
    });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return void outgoing.end();
    try {
      const body: AsyncIterable<Uint8Array> = answer.body;
      await pipeline(body, outgoing);
    } catch (error) {
      if (!gone.signal.aborted) onError(error);
    }
  };
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const method = incoming.method ?? 'GET';
  const withBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`, {
    method,
    headers,
    signal,
    ...(withBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
  });
}
