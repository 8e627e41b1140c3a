import { createLimiter, type Limiter } from '@renderkit/server-kit/work/limiter.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiProblem } from '../problems/api-problem.ts';
import { base64Of } from './base64-stream.ts';
import { FileGetter } from './get-file.ts';

/** Outputs that are encoded at once in this process; each has a few chunks in memory. */
const encodedAtOnce = 32;
/** Milliseconds after which a reader that has not taken its piece is passed by: others do not wait for it. */
const passedByMs = 1_000;

/** What the studio says of a file and its parts, and what may be asked of it. */
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
/** What a link to a file has between its slashes. */
const segment = /^[\w-][\w.-]*$/;
/** The file, a part of it, that it has not changed, that it has no such part. */
const answersOfFiles: ReadonlySet<number> = new Set([200, 206, 304, 416]);

export type OutputMediaOptions = {
  /** How the service reaches the studio. */
  studioUrl: string;
  /** How clients reach the service. */
  publicUrl: string;
};

/** Outputs under the service's own address, and as base64. Links cannot be guessed, and are the studio's own. */
export class OutputMedia implements Disposable {
  readonly #options: OutputMediaOptions;
  readonly #limiter: Limiter = createLimiter({ slots: encodedAtOnce });
  readonly #files = new FileGetter();

  constructor(options: OutputMediaOptions) {
    this.#options = options;
  }

  /** The same file under the service's address. What the studio keeps elsewhere stays where it is. */
  urlOf(url: string): string {
    const path = mediaPath(url);
    return path === undefined ? url : `${this.#options.publicUrl}${path}`;
  }

  /** The id of the library item behind one of our links, of the service or of the studio. */
  assetIdOf(url: string): string | undefined {
    const { publicUrl } = this.#options;
    const path = mediaPath(url) ?? (url.startsWith(`${publicUrl}/`) ? url.slice(publicUrl.length) : '');
    return /^\/media\/[^/]+\/(ast_[0-9a-z]+)\.\w+$/.exec(path)?.[1];
  }

  /** Its bytes, and their type. @throws ApiProblem `upstream_error` when the studio does not give them */
  async open(url: string): Promise<{ contentType: string; bytes: AsyncIterable<Uint8Array> }> {
    const answer = await this.#read(url);
    return { contentType: answer.headers['content-type'] ?? '', bytes: answer };
  }

  /** The same as base64. So many files at once are read; the others wait, though not for readers that are behind. */
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

  /** `GET /media/{folder}/{name}`: hands the studio's answer on, parts of files too. */
  addRoute(app: FastifyInstance): void {
    app.route<{ Params: { folder: string; name: string } }>({
      method: 'GET',
      url: '/media/:folder/:name',
      config: { operationId: 'media' },
      handler: async (request, reply) => {
        const { folder, name } = request.params;
        // Decoded by now: `%2e%2e` would lead to what the studio shows to its neighbours alone.
        if (!segment.test(folder) || !segment.test(name))
          throw new ApiProblem('not_found', { detail: 'There is no such file.' });
        const path = `/media/${folder}/${name}`;
        await this.#handOn(await this.#ask(path, request), request, reply, {});
      },
    });
  }

  /**
   * Answers whoever showed a key with the file behind a link of an output, or with the part of it that the request is for.
   * No cache keeps it for others: they would not be asked for a key.
   * @throws ApiProblem `not_found`, or `upstream_error` where the studio answers with something else than a file
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

  /** `own`: headers that count before the studio's. */
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
      // Read to its end, a film would cross the network for nothing.
      answer.destroy();
      return void reply.raw.end();
    }
    // Who goes away, or a studio that does, ends both sides.
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

/** The format of a picture by the name of its file: `png`, `jpeg`, `webp`. */
export function formatOf(url: string): string {
  const extension = /\.(\w+)$/.exec(URL.parse(url)?.pathname ?? '')?.[1] ?? 'png';
  return extension === 'jpg' ? 'jpeg' : extension;
}
