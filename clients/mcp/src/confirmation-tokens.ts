import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

/** A purchase that a person is asked to agree to. */
export type ConfirmedPurchase = {
  keyId: string;
  tool: string;
  /** All arguments that decide what is bought and under which idempotency key, including `request_id`. */
  arguments: object;
  credits: number;
};

export type Verified =
  | { outcome: 'confirmed'; idempotencyKey: string }
  /** Why the token is refused, as the end of a sentence. */
  | { outcome: 'refused'; reason: string };

const lifetimeMs = 10 * 60_000;
const maxTokenCharacters = 2_000;

type Content = { id: string; what: string; credits: number; expires: number };

/**
 * Issues and verifies confirmation tokens. A token allows one purchase: this key, this tool, these arguments, at most
 * these credits, for ten minutes. A token contains an idempotency key and is bound to the `request_id`, which overrides
 * this key. So a token buys only once, however often it is used. `needsConfirmation` in
 * `clients/mcp/src/tools/purchase.ts` decides when a person must agree.
 */
export class ConfirmationTokens {
  readonly #secret: string | Uint8Array;
  readonly #now: () => number;

  /** Instances with the same secret accept each other's tokens. */
  constructor(secret: string | Uint8Array, now: () => number = Date.now) {
    this.#secret = secret;
    this.#now = now;
  }

  issue(purchase: ConfirmedPurchase): string {
    const content: Content = {
      id: `mcp-${randomUUID()}`,
      what: digest(purchase),
      credits: purchase.credits,
      expires: this.#now() + lifetimeMs,
    };
    const text = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${text}.${this.#sign(text)}`;
  }

  verify(token: string, purchase: ConfirmedPurchase): Verified {
    const content = this.#contentOf(token);
    if (content === undefined) return { outcome: 'refused', reason: 'is none that was given out here' };
    if (content.expires < this.#now()) return { outcome: 'refused', reason: 'is older than ten minutes' };
    if (content.what !== digest(purchase))
      return { outcome: 'refused', reason: 'was given out for other arguments' };
    if (purchase.credits > content.credits)
      return { outcome: 'refused', reason: `was given out for ${content.credits} credits` };
    return { outcome: 'confirmed', idempotencyKey: content.id };
  }

  #contentOf(token: string): Content | undefined {
    const [text = '', signature = ''] = token.length > maxTokenCharacters ? [] : token.split('.');
    const [given, own] = [Buffer.from(signature), Buffer.from(this.#sign(text))];
    if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Content;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#secret).update(`mcp-confirmation:${text}`).digest('base64url');
  }
}

function digest({ keyId, tool, arguments: given }: ConfirmedPurchase): string {
  return createHash('sha256').update(sortedJson({ keyId, tool, given })).digest('base64url');
}

/** Returns JSON with sorted object members, so that equal values give equal text. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
