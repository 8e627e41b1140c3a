import { roundCredits } from '@renderkit/contract/studio/credits.ts';
import type { Generation, Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LiveGenerations, OnLiveEvent } from '../generations/live/live-generations.ts';
import { readMaxCost } from '../budgets/budget.ts';
import type { Admitted } from '../identity/admission/admit.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { FacadeCall, FacadeCalls } from './facade-calls.ts';
import { type AnswerForm, HeldAnswer, type Heartbeat, type Refusal } from './kept-alive-answer.ts';
import { mayHaveAccepted, type OutputMaker, type Wanted } from './make-outputs.ts';
import type { TakenImage } from './take-image.ts';

/** A foreign request after it was mapped. */
export type Asked = {
  /** Facade and route: equal requests to different routes are not the same. */
  route: string;
  wanted: Wanted;
  /** How many outputs the client asked for. */
  outputs: number;
  /** The size that is really made, as `1024x1024`; undefined where it follows the source. */
  size: string | undefined;
  /** Fields that the client sent and that are ignored. */
  ignored: readonly string[];
  /** What makes two requests equal: everything that was asked for, files by their hashes. */
  identity: Record<string, unknown>;
  /** The request's pictures, including those that must be stored before it is accepted. */
  pictures: readonly TakenImage[];
};

/**
 * How an API answers. A method that writes returns whether the client received the answer. `openai/images.ts`,
 * `openai/chat.ts`, `openai/create-video.ts` and `a1111/images.ts` have one each.
 */
export type Presentation = {
  form: AnswerForm;
  /** Answers with the finished generations and the requested outputs, of which there is at least one. */
  outputs: (answer: HeldAnswer, ends: readonly Generation[], outputs: readonly Output[]) => Promise<boolean>;
  /** Answers as soon as the creates are accepted; then `outputs` is never called. */
  accepted?: (answer: HeldAnswer, generations: readonly Generation[]) => Promise<boolean>;
  problem: (problem: ApiProblem) => Refusal;
  /** Converts a generation without outputs: failed or canceled, or unfinished when its time was up. */
  failure: (generation: Generation) => Refusal;
  /** Receives the live events of the first generation until there is an answer. Previews include their bytes. */
  live?: (answer: HeldAnswer, generation: Generation) => OnLiveEvent;
};

export type ExchangeOptions = {
  calls: FacadeCalls;
  maker: OutputMaker;
  live: Pick<LiveGenerations, 'follow'>;
  heartbeat: Heartbeat;
};

/** The header in which OpenAI's own clients count their tries, from 0. */
const retryHeader = 'x-stainless-retry-count';

/** Handles one request and its answer, from accepting its creates to the last byte of their outputs. */
export class FacadeExchange {
  readonly #options: ExchangeOptions;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #asked: Asked;
  readonly #presentation: Presentation;
  #generations: Generation[] = [];
  #adopted = false;
  /** Some of its creates were already accepted for an earlier request. */
  #found = false;

  constructor(
    options: ExchangeOptions,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    asked: Asked,
    presentation: Presentation,
  ) {
    this.#options = options;
    this.#request = request;
    this.#reply = reply;
    this.#asked = asked;
    this.#presentation = presentation;
  }

  /**
   * Runs the exchange.
   * @throws the refusal, if the request is refused before anything was accepted: then nothing was written
   */
  async run(): Promise<void> {
    this.#options.maker.check(this.#asked.wanted);
    for (const { reference, store } of this.#asked.pictures) {
      if (store === undefined) continue;
      await store();
      this.#request.brought?.add({ id: reference, accountId: this.#admitted.principal.account.id });
    }
    const call = await this.#accept();
    this.#reply.hijack();
    const { form, accepted } = this.#presentation;
    const answer = new HeldAnswer(this.#reply.raw, {
      form,
      heartbeat: this.#options.heartbeat,
      headers: () => this.#headers(),
    });
    if (accepted === undefined) return this.#finish(answer, call);
    const taken = await accepted(answer, this.#generations).catch((failure: unknown) =>
      // The generations exist all the same: a client that asks again gets them.
      answer.refuse(this.#refusalOf(failure)).then(() => false),
    );
    if (taken) await call?.delivered();
    else await call?.lost();
  }

  async #accept(): Promise<FacadeCall<Wanted> | undefined> {
    const { calls, maker } = this.#options;
    const { principal, limit } = this.#admitted;
    const { route, identity, wanted } = this.#asked;
    const { 'idempotency-key': key, [retryHeader]: retries } = this.#request.headers;
    const maxMillicredits = readMaxCost(this.#request.headers);
    const says = Number(retries ?? 0) >= 1;
    // A client with its own key decides itself which requests are the same.
    const call =
      typeof key === 'string'
        ? undefined
        : await calls.take<Wanted>({
            accountId: principal.account.id,
            route,
            identity,
            request: wanted,
            repeats: says && !(await calls.wasOverRate({ keyId: principal.key.id, limit })),
          });
    this.#adopted = call?.adopted ?? false;
    const by = {
      principal,
      requestId: this.#request.id,
      maxMillicredits,
      // Each attempt stores its files again. Under the client's own key, files are compared by their bytes.
      ...(call === undefined ? { identity: { route, ...identity } } : {}),
    };
    let replayed = false;
    try {
      const made = await maker.accept(by, call?.request ?? wanted, (place) =>
        call === undefined ? `${key as string}#${place}` : `${call.id}#${place}`,
      );
      this.#generations = made.generations;
      replayed = made.replayed;
      this.#found = made.found;
    } catch (error) {
      if (mayHaveAccepted(error)) {
        // A client that asks again uses the same keys, so it gets what may have been accepted and is not charged twice.
        // Keeps the files, unless this request repeats another one: then the creates name the other request's files.
        if (!this.#adopted) this.#request.brought?.keep();
        await call?.lost();
      } else if (retries !== undefined && this.#isToBeRepeated(error)) {
        if (!this.#adopted) this.#request.brought?.keep();
        await call?.refused();
      } else await call?.forgotten();
      throw error;
    }
    // The repeated request has its own files, also under the client's key. Removes this request's files without
    // waiting.
    if (this.#adopted || replayed) void this.#request.brought?.remove();
    else this.#request.brought?.keep();
    return call;
  }

  async #finish(answer: HeldAnswer, call: FacadeCall<Wanted> | undefined): Promise<void> {
    const { maker } = this.#options;
    const { principal } = this.#admitted;
    const ids = this.#generations.map(({ id }) => id);
    let taken = false;
    let refusal: Refusal | undefined;
    try {
      const ends = await this.#wait(answer, ids);
      const outputs = ends.flatMap((one) => one.outputs).slice(0, this.#asked.outputs);
      const [first] = ends;
      if (outputs.length === 0 && first !== undefined) refusal = this.#presentation.failure(first);
      else taken = await this.#presentation.outputs(answer, ends, outputs);
    } catch (failure) {
      refusal = this.#refusalOf(failure);
    }
    if (refusal !== undefined) taken = await answer.refuse(refusal);
    if (call === undefined) return;
    if (!taken) await maker.abandon(principal, call, ids);
    else if (refusal === undefined) await call.delivered();
    else if (this.#generations.every(({ status }) => status === 'failed' || status === 'canceled'))
      await call.forgotten();
    // The generation continues, or exists and could not be delivered: it waits for a client that asks again.
    else await call.lost();
  }

  /** Returns whether clients that mark repetitions repeat a request by themselves after this failure. */
  #isToBeRepeated(failure: unknown): boolean {
    const { status } = this.#refusalOf(failure);
    return status === 429 || status >= 500;
  }

  #refusalOf(failure: unknown): Refusal {
    return this.#presentation.problem(
      failure instanceof ApiProblem
        ? failure
        : new ApiProblem('internal_error', { detail: 'The service failed.', cause: failure }),
    );
  }

  async #wait(answer: HeldAnswer, ids: readonly string[]): Promise<readonly Generation[]> {
    const { maker, live } = this.#options;
    const { principal } = this.#admitted;
    const [first] = this.#generations;
    const onEvent = first && this.#presentation.live?.(answer, first);
    using _ =
      first && onEvent
        ? live.follow(
            {
              id: first.id,
              accountId: principal.account.id,
              studioAccountId: principal.account.studioAccountId,
            },
            'inline',
            onEvent,
          )
        : undefined;
    this.#generations = await maker.wait(principal, ids, answer.gone);
    return this.#generations;
  }

  #headers(): Record<string, string> {
    const { limit, number } = this.#admitted;
    const credits = this.#generations.reduce((sum, { cost }) => sum + (cost.credits ?? 0), 0);
    const { ignored, size } = this.#asked;
    return {
      'x-request-id': this.#request.id,
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - number)),
      'x-renderkit-generation': this.#generations.map(({ id }) => id).join(','),
      'x-renderkit-credits': String(roundCredits(credits)),
      ...(ignored.length === 0 ? {} : { 'x-renderkit-ignored': ignored.join(',') }),
      ...(size === undefined ? {} : { 'x-renderkit-size': size }),
      ...(this.#adopted && this.#found ? { 'x-renderkit-adopted': 'true' } : {}),
    };
  }

  get #admitted(): Admitted {
    return this.#request.admitted as Admitted;
  }
}
