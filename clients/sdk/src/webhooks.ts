import { RenderkitError } from './errors.ts';
import type {
  GenerationFailedEvent,
  GenerationSucceededEvent,
  PingEvent,
  UploadReadyEvent,
  UploadRejectedEvent,
} from './objects.generated.ts';

export { RenderkitError } from './errors.ts';

/** An event that a webhook delivers. */
export type WebhookEvent =
  | GenerationSucceededEvent
  | GenerationFailedEvent
  | UploadReadyEvent
  | UploadRejectedEvent
  | PingEvent;

/** The body of a delivery, byte for byte as received. Do not parse and serialize it again: that may change the text. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Headers, in any form that a server offers. */
export type HeadersInput = Headers | Record<string, string | string[] | undefined>;

/** Options of `verify` and `handler`. */
export type VerifyOptions = {
  /** The maximum age of a signature, in seconds. 300 when left out. */
  toleranceSeconds?: number | undefined;
  /** Returns the current time in milliseconds since 1970. For tests. */
  now?: (() => number) | undefined;
};

/** The service makes this header in `service/src/webhooks/deliveries/sign.ts`. */
const signatureHeader = 'service-signature';
const defaultToleranceSeconds = 300;

/**
 * Verifies the signature of a delivery and returns its event: `await verify(secret, request)`, or `await verify(secret,
 * rawBody, headers)` where there is no Request. Reads the request's body.
 *
 * @param secret the secret of the endpoint, including the prefix `whsec_`.
 * @throws RenderkitError `invalid_signature` when the signature is missing, wrong, or older than the tolerance.
 * @throws TypeError when the secret does not begin with `whsec_`.
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

/** Returns whether one of the signatures is right. The platform compares them in constant time. */
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

/** Stores the ids of events that were handled. A store in a database can serve several processes. */
export type SeenStore = {
  /** Returns `true` when the id is new, and stores the id for at least an hour. */
  add(eventId: string): boolean | Promise<boolean>;
  /** Removes the id, so that the next delivery of this event is handled. */
  remove(eventId: string): void | Promise<void>;
};

/** One function per type of event. An event without a function is answered with 200 and ignored. */
export type WebhookHandlers = {
  [Type in WebhookEvent['type']]?: (event: Extract<WebhookEvent, { type: Type }>) => void | Promise<void>;
};

/**
 * Creates a function from Request to Response that handles deliveries, for Next.js, Hono, Workers, Bun, Deno and
 * similar platforms: `export const POST = handler(secret, { 'generation.succeeded': async ({ data }) => … })`. It
 * answers 400 to a wrong signature and 200 when your function is done. It ignores repeated events. It rethrows an error
 * of your function, so that the server answers 500 and the service delivers the event again.
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

/** A store for this process alone. Ids are inserted in order of time, so the oldest are the first of the map. */
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
