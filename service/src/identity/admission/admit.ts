import type { IncomingMessage } from 'node:http';
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type KeyProof, proofOf } from '../keys/key-text.ts';
import { createLastUse } from './last-use.ts';
import type { Principal } from './principal.ts';
import { type CountedKey, countRequests } from './store.ts';

export type Admitted = {
  principal: Principal;
  /** Requests per minute. */
  limit: number;
  /** The number of this request within its key's minute, 1-based. Above `limit` the request must be refused. */
  number: number;
  /** Until the minute ends. At least 1. */
  secondsLeft: number;
};

type Asked = KeyProof & { isCounted: boolean };

// Larger batches bring no measurable gain and make each member wait for all others.
const batchSize = 500;
const batchesInFlight = 2;

/**
 * Admits API keys. One statement looks up and counts all requests that arrive in one turn of the event loop. So the
 * cost of a request falls as load rises, and nothing is cached: a revoked key is refused at once. `countRequests` in
 * `store.ts` finds the valid keys.
 */
export class Admission implements AsyncDisposable {
  readonly #lastUse: ReturnType<typeof createLastUse>;
  readonly #count: (asked: Asked) => Promise<Admitted | undefined>;

  constructor(options: { database: Database; log: Logger }) {
    this.#lastUse = createLastUse(options);
    this.#count = createBatcher<Asked, Admitted | undefined>({
      run: (asked) => countBatch(options.database, asked),
      maxSize: batchSize,
      maxInFlight: batchesInFlight,
      isHopeless: isDatabaseUnavailable,
    });
  }

  /**
   * Authenticates a request and counts it in its key's minute (docs/api.md §5 and §8).
   * @throws ApiProblem `unauthorized`: the same for a key that is missing, malformed, unknown, wrong, revoked or expired
   */
  admit(request: IncomingMessage): Promise<Admitted> {
    return this.admitProof(readKey(request));
  }

  /** Like `admit`, for a key that came in another form. When `isCounted` is false, only an invalid key is refused. */
  async admitProof(proof: KeyProof | undefined, { isCounted = true } = {}): Promise<Admitted> {
    const admitted = proof === undefined ? undefined : await this.#count({ ...proof, isCounted });
    if (admitted === undefined) throw unauthorized();
    this.#lastUse.note(admitted.principal.key.id);
    return admitted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lastUse[Symbol.asyncDispose]();
  }
}

/**
 * Refuses a request beyond the rate limit. `whose` names what was counted: a key, a session. @throws ApiProblem
 * `rate_limited`
 */
export function refuseOverLimit(admitted: Admitted, whose: string): void {
  if (admitted.number > admitted.limit)
    throw new ApiProblem('rate_limited', {
      detail: `The ${whose} has made its ${admitted.limit} requests of this minute.`,
      retryAfterSeconds: admitted.secondsLeft,
    });
}

/** Returns the one answer for every client without a valid key. It does not reveal what is wrong with the key. */
export function unauthorized(): ApiProblem {
  return new ApiProblem('unauthorized', { detail: 'A valid API key is needed: send one as a bearer token.' });
}

type Group = { asked: KeyProof & { requests: number }; found: Admitted | undefined };

async function countBatch(database: Database, proofs: readonly Asked[]): Promise<(Admitted | undefined)[]> {
  const groups = new Map<string, Group>();
  const groupOf = proofs.map((proof) => {
    const name = proof.publicId + proof.secretSha256;
    let group = groups.get(name);
    if (group === undefined) {
      const { publicId, secretSha256 } = proof;
      groups.set(name, (group = { asked: { publicId, secretSha256, requests: 0 }, found: undefined }));
    }
    if (proof.isCounted) group.asked.requests++;
    return group;
  });
  const inOrder = [...groups.values()];
  for (const row of await countRequests(
    database,
    inOrder.map(({ asked }) => asked),
  )) {
    const group = inOrder[row.position] as Group;
    // Of `c` requests in a group, the first has the number `total - c + 1`.
    group.found = admittedOf(row, row.requests - group.asked.requests);
  }
  return proofs.map(({ isCounted }, i) => {
    const { found } = groupOf[i] as Group;
    if (isCounted && found !== undefined) found.number++;
    return found && { ...found };
  });
}

function admittedOf(row: CountedKey, number: number): Admitted {
  return {
    principal: {
      account: { id: row.account_id, studioId: row.studio_id, studioAccountId: row.studio_account_id },
      key: { id: row.key_id, hasBudget: row.has_budget },
      scopes: scopesOf(row.scopes),
    },
    limit: row.rate_limit_per_minute,
    number,
    secondsLeft: row.seconds_left,
  };
}

// There are at most 31 sets of scopes. Making one for each request would be most of the work.
const scopeSets = new Map<string, ReadonlySet<Scope>>();

function scopesOf(text: string): ReadonlySet<Scope> {
  let set = scopeSets.get(text);
  if (set === undefined) {
    set = new Set(text.split(',') as Scope[]);
    if (scopeSets.size < 1_000) scopeSets.set(text, set);
  }
  return set;
}

const bearer = /^bearer +/i;

/**
 * Returns the API key that a request carries (docs/api.md §5): `Authorization: Bearer …` or `X-API-Key`, or the same
 * key in both. Returns `undefined` when there is none, when its shape is wrong, or when the two differ. Facades accept
 * more forms: `service/src/facades/facade-key.ts`.
 */
export function readKey(request: IncomingMessage): KeyProof | undefined {
  const { authorization, 'x-api-key': header } = request.headers;
  if (authorization !== undefined && isRepeated(request.rawHeaders, 'authorization')) return undefined;
  const fromBearer = authorization?.replace(bearer, '');
  if (authorization !== undefined && fromBearer === authorization) return undefined;
  const key = fromBearer ?? header;
  // Node joins a repeated X-API-Key with commas, which no key contains.
  if (typeof key !== 'string' || (header !== undefined && header !== key)) return undefined;
  return proofOf(key);
}

// Node silently keeps the first of several headers; a proxy in front of us may have used the last.
function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) seen++;
  }
  return seen > 1;
}
