import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { headers } from '@renderkit/contract/v1/headers.ts';
import { idempotencyWaitSeconds, maxIdempotencyKeyCharacters } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';

const shape = new RegExp(`^[\\x20-\\x7e]{1,${maxIdempotencyKeyCharacters}}$`);
const header = 'idempotency-key';

/**
 * Reads the Idempotency-Key of a create (docs/api.md §4). Returns `undefined` when none was sent. Adds an error for a
 * bad one.
 */
export function readIdempotencyKey(request: IncomingMessage, errors: FieldError[]): string | undefined {
  const key = request.headers[header];
  if (key === undefined) return undefined;
  if (request.headersDistinct[header]?.length !== 1)
    errors.push({ field: headers.idempotencyKey, message: 'appears more than once' });
  else if (typeof key !== 'string' || !shape.test(key))
    errors.push({
      field: headers.idempotencyKey,
      message: `must be 1 to ${maxIdempotencyKeyCharacters} characters of printable ASCII`,
    });
  else return key;
  return undefined;
}

/**
 * Returns the refusal of an Idempotency-Key that was used with a different request before (docs/api.md §4). The fingerprints
 * are compared in `generations/create/create-generation.ts` and in the function earlier_creates (sql/functions).
 */
export function keyReused(): ApiProblem {
  return new ApiProblem('conflict', {
    detail: 'This Idempotency-Key was used for a different request: take a fresh one for a new request.',
  });
}

/**
 * Lets only one request at a time work under an account's Idempotency-Key, within this process. Between processes the
 * unique index of `generations` decides.
 */
export class IdempotencyKeys {
  readonly #waitMs: number;
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(waitMs: number = idempotencyWaitSeconds * 1000) {
    this.#waitMs = waitMs;
  }

  /**
   * Waits until no other request with the same key is running. Then returns what `lookUp` finds of an earlier request,
   * or else the result of `work`.
   * @throws ApiProblem `upstream_unavailable` with Retry-After 1 after ten seconds of waiting
   */
  async share<T>(
    { accountId, idempotencyKey }: { accountId: string; idempotencyKey: string },
    lookUp: () => Promise<T | undefined>,
    work: () => Promise<T>,
  ): Promise<T> {
    const name = `${accountId} ${idempotencyKey}`;
    const givenUpAt = performance.now() + this.#waitMs;
    for (;;) {
      const other = this.#underWay.get(name);
      if (other !== undefined && !(await endsWithin(other, givenUpAt - performance.now())))
        throw new ApiProblem('upstream_unavailable', {
          detail: 'Another request with this Idempotency-Key is still under way.',
          retryAfterSeconds: 1,
        });
      const earlier = await lookUp();
      if (earlier !== undefined) return earlier;
      if (this.#underWay.has(name)) continue;
      const mine = work();
      this.#underWay.set(name, mine);
      try {
        return await mine;
      } finally {
        this.#underWay.delete(name);
      }
    }
  }
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), false);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Characters of a long text that are hashed in one turn of the event loop. */
const charactersAtOnce = 512 * 1024;

/**
 * Returns the SHA-256, in hexadecimal, over method, path and the canonical form of a JSON body before defaults. Two
 * requests have the same fingerprint when they differ only in white space, in the order of names, or in how a number or
 * text is written.
 */
export async function fingerprint(method: string, path: string, body: object): Promise<string> {
  const hash = createHash('sha256').update(`${method}\n${path}\n`);
  const members = Object.entries(body).filter(([, member]) => member !== undefined);
  if (members.some(([, member]) => isLong(member))) await addPieces(hash, members);
  else hash.update(canonicalJson(body));
  return hash.digest('hex');
}

/**
 * Returns JSON without white space, with the names of each object in the order of their UTF-16 code units (RFC 8785).
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(byName)
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

type Member = [name: string, value: unknown];

function byName([a]: Member, [b]: Member): number {
  return a < b ? -1 : 1;
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > charactersAtOnce;
}

/** Hashes the same bytes as the canonical form has, but long members piece by piece. */
async function addPieces(hash: Hash, members: readonly Member[]): Promise<void> {
  let before = '{';
  for (const [name, member] of members.toSorted(byName)) {
    hash.update(`${before}${JSON.stringify(name)}:`);
    if (!isLong(member)) hash.update(canonicalJson(member));
    else {
      hash.update('"');
      for (let begin = 0; begin < member.length;) {
        const end = endOfPiece(member, begin);
        hash.update(JSON.stringify(member.slice(begin, end)).slice(1, -1));
        begin = end;
        await turn();
      }
      hash.update('"');
    }
    before = ',';
  }
  hash.update('}');
}

/** Returns where the piece ends. Never splits a surrogate pair, whose halves are written as one character. */
function endOfPiece(text: string, begin: number): number {
  const end = begin + charactersAtOnce;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
}
