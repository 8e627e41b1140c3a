import { RenderkitError } from './errors.ts';
import type {
  GenerationFailedEvent,
  GenerationSucceededEvent,
  PingEvent,
  UploadReadyEvent,
  UploadRejectedEvent,
} from './objects.generated.ts';

export { RenderkitError } from './errors.ts';

/** What a webhook tells of. */
export type WebhookEvent =
  | GenerationSucceededEvent
  | GenerationFailedEvent
  | UploadReadyEvent
  | UploadRejectedEvent
  | PingEvent;

/** Bytes of a delivery as they came: text that was parsed and written again is another text. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Headers in any form that a server has them. */
export type HeadersInput = Headers | Record<string, string | string[] | undefined>;

export type VerifyOptions = {
  /** How many seconds old a signature may be: 300 when left out. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970, for tests. */
  now?: (() => number) | undefined;
};

const signatureHeader = 'service-signature';
const defaultToleranceSeconds = 300;

/**
 * The event of a delivery whose signature is right: `await verify(secret, request)`, or `await verify(secret, rawBody,
 * headers)` where there is no Request. It reads the request's body.
 *
 * @param secret the endpoint's, `whsec_` included.
 * @throws RenderkitError `invalid_signature` when it is missing, wrong, or older than the tolerance.
 */
export async function verify(
  secret: string,
  request: Request,
  options?: VerifyOptions,
): Promise<WebhookEvent>;
export async function verify(
  secret: string,
  body: RawBody,
  headers: HeadersInput,
  options?: VerifyOptions,
): Promise<WebhookEvent>;
export async function verify(
  secret: string,
  input: Request | RawBody,
  second: VerifyOptions | HeadersInput = {},
  third: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [body, headers, options] =
    input instanceof Request
      ? [await input.arrayBuffer(), input.headers, second as VerifyOptions]
      : [input, second as HeadersInput, third];
  if (!secret.startsWith('whsec_'))
    throw new TypeError('The secret of a webhook endpoint begins with whsec_.');
  const { time, signatures } = parseHeader(valueOf(headers, signatureHeader));
  const now = Math.floor((options.now ?? Date.now)() / 1000);
  if (Math.abs(now - time) > (options.toleranceSeconds ?? defaultToleranceSeconds))
    throw refused('it is too old, or a clock is wrong');
  const bytes = bytesOf(body);
  if (!(await anyIsRight(secret, time, bytes, signatures)))
    throw refused('it is not of this secret and body');
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

function parseHeader(value: string | undefined): { time: number; signatures: Uint8Array<ArrayBuffer>[] } {
  if (value === undefined) throw refused('there is no Service-Signature header');
  const pairs = value.split(',').map((part) => part.trim().split('=') as [string, string?]);
  const time = pairs.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = pairs.flatMap(([name, hex = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/.test(hex) ? [bytesOfHex(hex)] : [],
  );
  if (!/^\d{1,12}$/.test(time) || signatures.length === 0) throw refused('the header is malformed');
  return { time: Number(time), signatures };
}

/** Compared by the platform, whose comparison takes the same time wherever two signatures differ. */
async function anyIsRight(
  secret: string,
  time: number,
  body: Uint8Array,
  signatures: Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey(
    'raw',
    encoder.encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const prefix = encoder.encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const right = await Promise.all(
    signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)),
  );
  return right.includes(true);
}

function refused(why: string): Error {
  return new RenderkitError('invalid_signature', `The signature of the webhook was refused: ${why}.`);
}

function valueOf(headers: HeadersInput, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(entry) ? entry.join(',') : entry;
}

function bytesOf(body: RawBody): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Remembers ids of events; a store in a database serves several processes. */
export type SeenStore = {
  /** True when the id is new, and remembers it for an hour at least. */
  add(eventId: string): boolean | Promise<boolean>;
  /** Forgets it, so that the next delivery is taken. */
  remove(eventId: string): void | Promise<void>;
};

/** What to do with each type of event. What has no entry is answered with 200 and dropped. */
export type WebhookHandlers = {
  [Type in WebhookEvent['type']]?: (event: Extract<WebhookEvent, { type: Type }>) => void | Promise<void>;
};

/**
 * A function from Request to Response that takes deliveries, for whatever has those: Next.js, Hono, Workers, Bun, Deno.
 * `export const POST = handler(secret, { 'generation.succeeded': async ({ data }) => … })`. It answers 400 to a wrong
 * signature and 200 when the work is done; a repeated event is dropped. What your function throws goes through, so that the
 * server answers 500 and the delivery comes again.
 *
 * @throws TypeError when there is no secret.
 */
export function handler(
  secret: string | undefined,
  handlers: WebhookHandlers,
  options: VerifyOptions & { seen?: SeenStore | undefined } = {},
): (request: Request) => Promise<Response> {
  if (secret === undefined || secret === '') throw new TypeError('handler needs the secret of the endpoint.');
  const seen = options.seen ?? memoryStore();
  return async (request) => {
    let event: WebhookEvent;
    try {
      event = await verify(secret, request, options);
    } catch (error) {
      if (!RenderkitError.is(error)) throw error;
      return new Response(error.message, { status: 400 });
    }
    if (!(await seen.add(event.id))) return new Response('seen before');
    try {
      const handle = handlers[event.type] as ((event: WebhookEvent) => void | Promise<void>) | undefined;
      await handle?.(event);
      return new Response('ok');
    } catch (error) {
      await seen.remove(event.id);
      throw error;
    }
  };
}

const rememberMs = 3_600_000;

/** Of this process alone. Ids come in order of time, so the oldest are the first of the map. */
function memoryStore(): SeenStore {
  const until = new Map<string, number>();
  return {
    add(id) {
      const now = Date.now();
      for (const [old, end] of until) {
        if (end > now) break;
        until.delete(old);
      }
      if (until.has(id)) return false;
      until.set(id, now + rememberMs);
      return true;
    },
    remove: (id) => void until.delete(id),
  };
}
