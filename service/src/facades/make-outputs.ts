import { headers } from '@renderkit/contract/v1/headers.ts';
import { type ProblemCode, problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import type { Generation, GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import {
  CreateEditRequest,
  CreateImageRequest,
  CreateVideoRequest,
  ExtendVideoRequest,
} from '@renderkit/contract/v1/schemas/generation-requests.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { cancelGeneration, type CancelDependencies } from '../generations/cancel/cancel-generation.ts';
import type { CreateRequest, GenerationCreator } from '../generations/create/create-generation.ts';
import type { LongPolls } from '../generations/live/long-polls.ts';
import { isFinal } from '../generations/settle/status.ts';
import type { Principal } from '../identity/admission/principal.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';
import { type Check, compileCheck } from '../validation/compile-check.ts';
import type { FacadeCall, FacadeCalls } from './facade-calls.ts';

/**
 * The creates that a foreign request needs. They are equal; how many outputs one of them makes depends on the model.
 * `plan-creates.ts` computes how many creates there are.
 */
export type Wanted = {
  kind: GenerationKind;
  /** The body of the create of that kind in `/v1`. */
  body: Record<string, unknown>;
  generations: number;
  /** The seed of each create, where one was chosen. */
  seeds?: readonly number[];
};

export type Made = {
  generations: Generation[];
  /** The first refusal, if not all creates were accepted. */
  refusal: ApiProblem | undefined;
  /** All creates were already accepted for an earlier request with the same keys. */
  replayed: boolean;
  /** Some creates were already accepted. */
  found: boolean;
};

export type AcceptedBy = Pick<CreateRequest, 'principal' | 'requestId' | 'maxMillicredits' | 'identity'>;

export type MakeOptions = {
  creator: Pick<GenerationCreator, 'create'>;
  longPolls: Pick<LongPolls, 'wait'>;
  canceling: CancelDependencies;
  calls: FacadeCalls;
  /** Seconds that an exchange waits for its generations. */
  holdSeconds: number;
  log: Logger;
};

const paths: Record<GenerationKind, string> = {
  image: '/v1/images/generations',
  image_edit: '/v1/images/edits',
  video: '/v1/videos/generations',
  video_extend: '/v1/videos/extend',
};
const schemas = {
  image: CreateImageRequest,
  image_edit: CreateEditRequest,
  video: CreateVideoRequest,
  video_extend: ExtendVideoRequest,
};

/**
 * Milliseconds for which a disconnected client may come back. After that, generations that have not started are
 * canceled.
 */
const comeBackMs = 30_000;

/** Returns whether a create may have been accepted although it failed: its answer was lost, not refused. */
export function mayHaveAccepted(failure: unknown): boolean {
  if (!(failure instanceof ApiProblem)) return true;
  return !failure.refusedByStudio && problemCodes[failure.code as ProblemCode].status >= 500;
}

/** Makes the creates of all facades, with the same use case, rules and charges as `/v1`. */
export class OutputMaker implements Disposable {
  readonly #options: MakeOptions;
  readonly #checks: Record<GenerationKind, Check>;
  readonly #abandoned = new Set<NodeJS.Timeout>();

  constructor(options: MakeOptions) {
    this.#options = options;
    this.#checks = {
      image: compileCheck(schemas.image, 'field'),
      image_edit: compileCheck(schemas.image_edit, 'field'),
      video: compileCheck(schemas.video, 'field'),
      video_extend: compileCheck(schemas.video_extend, 'field'),
    };
  }

  /** Checks a body before anything is stored. @throws ApiProblem invalid_request where its form is wrong */
  check({ kind, body }: Wanted): void {
    const errors: FieldError[] = [];
    this.#checks[kind](body, errors);
    if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });
  }

  /**
   * Accepts all creates of a call, or finds those already accepted for it. `maxMillicredits` is for all of them
   * together. `identity` tells them apart if their body differs at each attempt.
   * @throws ApiProblem where none was accepted; where that is uncertain, the error that makes it uncertain
   */
  async accept(
    { principal, requestId, maxMillicredits, identity }: AcceptedBy,
    wanted: Wanted,
    keyOf: (place: number) => string,
  ): Promise<Made> {
    const { creator } = this.#options;
    const path = paths[wanted.kind];
    const outcomes = await Promise.allSettled(
      Array.from({ length: wanted.generations }, async (_, place) => {
        const reply = await creator.create({
          principal,
          kind: wanted.kind,
          body: bodyAt(wanted, place),
          idempotencyKey: keyOf(place),
          identity,
          maxMillicredits:
            maxMillicredits === undefined ? undefined : Math.floor(maxMillicredits / wanted.generations),
          requestId,
          method: 'POST',
          path,
        });
        return {
          generation: JSON.parse(String(reply.text)) as Generation,
          replayed: reply.headers?.[headers.idempotentReplayed] === 'true',
        };
      }),
    );
    const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failures: unknown[] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const other = failures.find((failure) => !(failure instanceof ApiProblem));
    if (made.length === 0 || other !== undefined)
      throw other ?? failures.find(mayHaveAccepted) ?? failures[0];
    return {
      generations: made.map(({ generation }) => generation),
      refusal: failures[0] as ApiProblem | undefined,
      replayed: failures.length === 0 && made.every(({ replayed }) => replayed),
      found: made.some(({ replayed }) => replayed),
    };
  }

  /**
   * Returns the generations when they have finished, or as they are when the time is up.
   * @throws ApiProblem `unauthorized` once the key is revoked; `upstream_unavailable` where the service stops before
   * that
   */
  async wait(principal: Principal, ids: readonly string[], gone: AbortSignal): Promise<Generation[]> {
    const { longPolls, holdSeconds } = this.#options;
    return Promise.all(
      ids.map(async (id) => {
        const { text, closing } = await longPolls.wait({
          id,
          accountId: principal.account.id,
          keyId: principal.key.id,
          seconds: holdSeconds,
          gone: () => gone,
        });
        const generation = JSON.parse(text) as Generation;
        if (closing && !isFinal(generation.status))
          throw new ApiProblem('upstream_unavailable', {
            detail: 'The service is being restarted; ask again for the same.',
            retryAfterSeconds: 1,
          });
        return generation;
      }),
    );
  }

  /**
   * Records that the client disconnected. Cancels generations that still wait after half a minute, if no client has
   * come back.
   */
  async abandon(principal: Principal, call: FacadeCall<Wanted>, ids: readonly string[]): Promise<void> {
    await call.lost();
    const { calls, canceling, log } = this.#options;
    const cancel = async () => {
      // A client that came back and disconnected again has its own timer. The clocks of two machines differ a little.
      if (!(await calls.isAbandoned(call.id, comeBackMs * 0.9))) return;
      for (const id of ids)
        await cancelGeneration(canceling, { id, accountId: principal.account.id }).catch((error: unknown) => {
          // The generation has started; its outputs appear in the library.
          if (!(error instanceof ApiProblem)) throw error;
        });
    };
    const timer = setTimeout(() => {
      this.#abandoned.delete(timer);
      cancel().catch((error: unknown) =>
        log.warn({ err: error, call: call.id }, 'an abandoned call was not canceled'),
      );
    }, comeBackMs);
    timer.unref();
    this.#abandoned.add(timer);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#abandoned) clearTimeout(timer);
  }
}

function bodyAt({ body, seeds }: Wanted, place: number): Record<string, unknown> {
  const seed = seeds?.[place];
  return seed === undefined ? body : { ...body, options: { ...(body['options'] as object), seed } };
}
