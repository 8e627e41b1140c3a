import { createLimiter, type Limiter } from '@renderkit/server-kit/work/limiter.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiProblem } from '../problems/api-problem.ts';
import { base64Of } from './base64-stream.ts';
import { FileGetter } from './get-file.ts';

/** How many outputs this process encodes at once; each keeps a few chunks in memory. */
const encodedAtOnce = 32;
/** Milliseconds after which a reader that has not taken its piece loses its slot, so that others do not wait for it. */
const passedByMs = 1_000;

/** Headers of the studio's answers that are passed on, and headers that a client's request may pass to the studio. */
const passedOn = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'cache-control',
  'content-disposition',
  'content-security-policy',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'x-content-type-options',
] as const;
const asked = ['range', 'if-range', 'if-none-match'] as const;
/** A path segment of a link to a file. */
const segment = /^[\w-][\w.-]*$/;
/** Statuses: the file, a part of it, not modified, no such part. */
const answersOfFiles: ReadonlySet<number> = new Set([200, 206, 304, 416]);

export type OutputMediaOptions = {
  /** The address at which the service reaches the studio. */
  studioUrl: string;
  /** The address at which clients reach the service. */
  publicUrl: string;
};

/** Serves outputs under the service's own address, and as base64. Links are the studio's own and cannot be guessed. */
export class OutputMedia implements Disposable {
  readonly #options: OutputMediaOptions;
  readonly #limiter: Limiter = createLimiter({ slots: encodedAtOnce });
  readonly #files = new FileGetter();

  constructor(options: OutputMediaOptions) {
    this.#options = options;
  }

  /**
   * Returns the address of a file at the service. The address of a file that the studio stores elsewhere is unchanged.
   */
  urlOf(url: string): string {
    const path = mediaPath(url);
    return path === undefined ? url : `${this.#options.publicUrl}${path}`;
  }

  /** Returns the id of the library item in a link of the service or of the studio. */
  assetIdOf(url: string): string | undefined {
    const { publicUrl } = this.#options;
    const path = mediaPath(url) ?? (url.startsWith(`${publicUrl}/`) ? url.slice(publicUrl.length) : '');
    return /^\/media\/[^/]+\/(ast_[0-9a-z]+)\.\w+$/.exec(path)?.[1];
  }

  /**
   * Returns the bytes of a file and their type.
   * @throws ApiProblem `upstream_error` when the studio does not send them
   */
  async open(url: string): Promise<{ contentType: string; bytes: AsyncIterable<Uint8Array> }> {
    const answer = await this.#read(url);
    return { contentType: answer.headers['content-type'] ?? '', bytes: answer };
  }

  /**
   * Yields a file as base64. At most `encodedAtOnce` files are read at once. Others wait, but not for readers that are
   * slow.
   */
  async *base64(url: string): AsyncGenerator<string, void> {
    using slot = await this.#limiter.enter();
    for await (const piece of base64Of(await this.#read(url))) {
      const passedBy = setTimeout(() => slot[Symbol.dispose](), passedByMs);
      try {
        yield piece;
      } finally {
        clearTimeout(passedBy);
      }
    }
  }

  /**
   * `GET /media/{folder}/{name}`: passes on the studio's answer, also parts of files. The studio decides about types,
   * ranges and caching: `studio/src/storage/routes.ts`.
   */
  addRoute(app: FastifyInstance): void {
    app.route<{ Params: { folder: string; name: string } }>({
      method: 'GET',
      url: '/media/:folder/:name',
      config: { operationId: 'media' },
      handler: async (request, reply) => {
        const { folder, name } = request.params;
        // The path is already decoded: `%2e%2e` would lead to what the studio serves only to its neighbours.
        if (!segment.test(folder) || !segment.test(name))
          throw new ApiProblem('not_found', { detail: 'There is no such file.' });
        const path = `/media/${folder}/${name}`;
        await this.#handOn(await this.#ask(path, request), request, reply, {});
      },
    });
  }

  /**
   * Answers a client that has shown a key with the file of an output, or with the requested part of it. Shared caches
   * must not store it, because they would not ask for a key.
   * @throws ApiProblem `not_found`; `upstream_error` where the studio does not answer with a file
   */
  async pass(url: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const answer = await this.#ask(mediaPath(url) ?? url, request);
    if (!answersOfFiles.has(answer.statusCode ?? 0)) {
      answer.resume();
      throw answer.statusCode === 404
        ? new ApiProblem('not_found', { detail: 'The file is not there any more.' })
        : new ApiProblem('upstream_error', { detail: 'The studio did not give the file.' });
    }
    await this.#handOn(answer, request, reply, {
      ...(reply.getHeaders() as Record<string, string>),
      'cache-control': 'private, no-cache',
      vary: 'authorization',
    });
  }

  #ask(pathOrUrl: string, request: FastifyRequest): Promise<IncomingMessage> {
    const headers: Record<string, string> = {};
    for (const header of asked) {
      const value = request.headers[header];
      if (typeof value === 'string') headers[header] = value;
    }
    return this.#get(pathOrUrl, headers);
  }

  /** Passes on an answer. The headers in `own` replace the studio's. */
  async #handOn(
    answer: IncomingMessage,
    request: FastifyRequest,
    reply: FastifyReply,
    own: Record<string, string>,
  ): Promise<void> {
    reply.hijack();
    const passed = Object.fromEntries(
      passedOn.flatMap((header) => {
        const value = answer.headers[header];
        return value === undefined ? [] : [[header, value]];
      }),
    );
    reply.raw.writeHead(answer.statusCode ?? 502, { ...passed, ...own });
    if (request.method === 'HEAD') {
      // Ends the transfer: otherwise a whole video would cross the network for nothing.
      answer.destroy();
      return void reply.raw.end();
    }
    // If the client or the studio disconnects, both sides end.
    await pipeline(answer, reply.raw).catch(() => undefined);
  }

  async #read(url: string): Promise<IncomingMessage> {
    const answer = await this.#get(mediaPath(url) ?? url, {});
    if (answer.statusCode === 200) return answer;
    answer.resume();
    throw new ApiProblem('upstream_error', { detail: 'The studio did not give the output.' });
  }

  async #get(pathOrUrl: string, headers: Record<string, string>): Promise<IncomingMessage> {
    try {
      return await this.#files.get(new URL(pathOrUrl, this.#options.studioUrl), headers);
    } catch (cause) {
      throw new ApiProblem('upstream_unavailable', {
        detail: 'The studio does not answer.',
        retryAfterSeconds: 1,
        cause,
      });
    }
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
  }
}

function mediaPath(url: string): string | undefined {
  const path = URL.parse(url)?.pathname;
  return path !== undefined && /^\/media\/[^/]+\/[^/]+$/.test(path) ? path : undefined;
}

/** Returns the format of a picture from the name of its file: `png`, `jpeg`, `webp`. */
export function formatOf(url: string): string {
  const extension = /\.(\w+)$/.exec(URL.parse(url)?.pathname ?? '')?.[1] ?? 'png';
  return extension === 'jpg' ? 'jpeg' : extension;
}
