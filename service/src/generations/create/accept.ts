import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import { referencesOf } from '@renderkit/contract/studio/references.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { budgetExceeded } from '../../budgets/budget.ts';
import { keyReused } from '../../idempotency/idempotency-key.ts';
import { unauthorized } from '../../identity/admission/admit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { findGone } from '../../uploads/queries.ts';
import { acceptGenerations, type Create, type Decision } from './store.ts';

/**
 * The most creates in one transaction, and the most transactions at once. Creates that come meanwhile wait for the
 * next.
 */
const groupSize = 64;
const groupsInFlight = 2;
/** Seconds after which a client may retry when the queue is full. */
const queueFullRetrySeconds = 5;

export type AcceptOptions = {
  database: Database;
  /** How many generations of one account may wait. */
  queueCap: number;
  /** Asks the studio about an account's unconfirmed submits, and records the answers. */
  resolveUnconfirmed: (accountId: string) => Promise<void>;
};

/**
 * Accepts creates in groups, each group one transaction. The function accept_generations decides each create
 * (sql/functions); this class makes the problems from its outcomes.
 */
export class Acceptor {
  readonly #options: AcceptOptions;
  readonly #decide: (create: Create) => Promise<Decision>;

  constructor(options: AcceptOptions) {
    this.#options = options;
    this.#decide = createBatcher<Create, Decision>({
      run: (creates) => acceptGenerations(options.database, creates, options.queueCap),
      maxSize: groupSize,
      maxInFlight: groupsInFlight,
      isHopeless: isDatabaseUnavailable,
    });
  }

  /**
   * Returns the text of the 202 once its transaction is committed.
   * @throws ApiProblem for each refusal; a database error where it is unknown whether the create was accepted
   */
  async accept(create: Omit<Create, 'unconfirmedResolved'>): Promise<{ body: string; replayed: boolean }> {
    const { database, resolveUnconfirmed } = this.#options;
    let decision = await this.#decide({ ...create, unconfirmedResolved: false });
    if (decision.outcome === 'short') {
      // A charge may be counted twice: in the balance, and as still to come. The studio knows the answer: asks it, then
      // retries.
      await resolveUnconfirmed(create.accountId);
      decision = await this.#decide({ ...create, unconfirmedResolved: true });
    }
    if ('body' in decision) return { body: decision.body, replayed: decision.outcome === 'replay' };
    if (decision.outcome === 'upload_gone') throw await goneUpload(database, create);
    throw refusalOf(create, decision);
  }
}

function refusalOf(
  { costMillicredits }: { costMillicredits: number },
  decision: Exclude<Decision, { body: string } | { outcome: 'upload_gone' }>,
): ApiProblem {
  switch (decision.outcome) {
    case 'conflict':
      return keyReused();
    case 'unauthorized':
      return unauthorized();
    case 'queue_full':
      return new ApiProblem('queue_full', {
        detail: 'The account has as many generations waiting as it may.',
        retryAfterSeconds: queueFullRetrySeconds,
      });
    case 'budget_exceeded':
      return budgetExceeded(costMillicredits, decision.amount);
    default:
      return insufficientCredits(costMillicredits, decision.amount);
  }
}

/** Makes the problem for a create whose upload was deleted or rejected after the request was checked. */
async function goneUpload(
  database: Database,
  { accountId, uploads = [], renderRequest }: Pick<Create, 'accountId' | 'uploads' | 'renderRequest'>,
): Promise<ApiProblem> {
  const named = uploads.filter(({ url }) => url === undefined).map(({ id }) => id);
  const gone = new Set(await findGone(database, accountId, named));
  const errors = referencesOf(JSON.parse(renderRequest) as RenderRequest)
    .filter(({ value }) => gone.has(value))
    .map(({ field }) => ({ field, message: 'there is no such upload' }));
  return errors.length > 0
    ? new ApiProblem('invalid_request', { errors })
    : new ApiProblem('moderation_blocked', {
        detail: 'An upload that the request names was rejected meanwhile.',
      });
}

function insufficientCredits(costMillicredits: number, available: number): ApiProblem {
  return new ApiProblem('insufficient_credits', {
    detail: `The generation costs ${creditsOf(costMillicredits)} credits, and the account has ${creditsOf(available)} to spend.`,
  });
}
