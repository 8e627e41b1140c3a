import { headers } from '@renderkit/contract/v1/headers.ts';
import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { checkBudget, checkMaxCost } from '../../budgets/budget.ts';
import { RawReply } from '../../http/handler.ts';
import { fingerprint, IdempotencyKeys, keyReused } from '../../idempotency/idempotency-key.ts';
import type { Principal } from '../../identity/admission/principal.ts';
import {
  type QuotedRequest,
  type QuotingDependencies,
  validateAndQuote,
} from '../../quotes/validate-and-quote.ts';
import type { CrashPoint } from '../../test-hooks.ts';
import type { Uploads } from '../../uploads/start-uploads.ts';
import type { WokenAccounts } from '../dispatch/woken-accounts.ts';
import { acceptedBodyStart } from '../present.ts';
import type { TransitionAnnouncer } from '../settle/announce-transitions.ts';
import { type AcceptOptions, Acceptor } from './accept.ts';
import { type Precheck, type PrecheckQuestion, readPrechecks } from './store.ts';

/** A create as the client sent it: validated by its schema, without defaults. */
export type CreateRequest = {
  principal: Principal;
  kind: GenerationKind;
  body: { metadata?: Record<string, string> };
  idempotencyKey: string | undefined;
  /**
   * What the fingerprint of the Idempotency-Key covers, if not the body: two uploads of one file have different ids.
   */
  identity?: object | undefined;
  /** The highest cost that the client accepts, in 1/1000 credit. A replay costs nothing. */
  maxMillicredits?: number | undefined;
  /** `req_…`: the log lines of all components contain it. */
  requestId: string;
  /** Method and path, as the contract writes them. */
  method: string;
  path: string;
};

export type CreateOptions = AcceptOptions & {
  database: Database;
  quoting: QuotingDependencies;
  wokenAccounts: Pick<WokenAccounts, 'queued'>;
  announcer: Pick<TransitionAnnouncer, 'announceEvents'>;
  /** Woken when an accepted create names addresses of files. */
  uploads: Pick<Uploads, 'wakeImports'>;
  crashPoint?: CrashPoint | undefined;
  log: Logger;
};

const prechecksPerStatement = 200;
const statementsInFlight = 2;
/** For a create without an Idempotency-Key, by a key without a budget: nothing needs to be looked up. */
const nothingKnown: Precheck = { earlier: undefined, budgetLeft: undefined };

/** The use case of the four creates (docs/api.md §4). docs/ARCHITECTURE.md lists its steps. */
export class GenerationCreator {
  readonly #options: CreateOptions;
  readonly #keys = new IdempotencyKeys();
  readonly #acceptor: Acceptor;
  readonly #precheck: (question: PrecheckQuestion) => Promise<Precheck>;

  constructor(options: CreateOptions) {
    this.#options = options;
    this.#acceptor = new Acceptor(options);
    this.#precheck = createBatcher<PrecheckQuestion, Precheck>({
      run: (questions) => readPrechecks(options.database, questions),
      maxSize: prechecksPerStatement,
      maxInFlight: statementsInFlight,
      isHopeless: isDatabaseUnavailable,
    });
  }

  /**
   * Makes the 202 from a validated body: a new one, or the earlier one for a repeated Idempotency-Key.
   * @throws ApiProblem
   */
  async create(request: CreateRequest): Promise<RawReply> {
    const { principal, idempotencyKey } = request;
    // If the key gets a budget meanwhile, the accept enforces it.
    const keyId = principal.key.hasBudget ? principal.key.id : undefined;
    const question = { accountId: principal.account.id, keyId, idempotencyKey };
    if (idempotencyKey === undefined) {
      const precheck = keyId === undefined ? nothingKnown : await this.#precheck(question);
      return this.#createNew(request, undefined, precheck);
    }
    const sha256 = await fingerprint(request.method, request.path, request.identity ?? request.body);
    let precheck: Precheck;
    return this.#keys.share(
      { accountId: question.accountId, idempotencyKey },
      async () => {
        precheck = await this.#precheck(question);
        if (precheck.earlier === undefined) return undefined;
        if (precheck.earlier.fingerprint !== sha256) throw keyReused();
        return replay(precheck.earlier.body);
      },
      () => this.#createNew(request, sha256, precheck),
    );
  }

  async #createNew(
    request: CreateRequest,
    sha256: string | undefined,
    { budgetLeft }: Precheck,
  ): Promise<RawReply> {
    const { quoting, crashPoint, wokenAccounts, announcer, uploads, log } = this.#options;
    const quoted = await validateAndQuote(quoting, {
      accountId: request.principal.account.id,
      kind: request.kind,
      body: request.body,
      requestId: request.requestId,
      checkBudget: (cost) => {
        checkMaxCost(cost, request.maxMillicredits);
        checkBudget(cost, budgetLeft);
      },
    });
    await crashPoint?.('create-quoted');
    const record = recordOf(request, quoted);
    const accepted = await this.#acceptor.accept({ ...record, fingerprint: sha256 });
    if (!accepted.replayed) {
      log.info({ request_id: request.requestId, generation: record.id }, 'a generation is accepted');
      wokenAccounts.queued(record.accountId, record.lane);
      announcer.announceEvents([record.accountId]);
      if (record.uploads?.some(({ url }) => url !== undefined) === true) uploads.wakeImports();
    }
    await crashPoint?.('create-accepted');
    return accepted.replayed ? replay(accepted.body) : new RawReply(202, accepted.body);
  }
}

function recordOf({ principal, kind, body, idempotencyKey }: CreateRequest, quoted: QuotedRequest) {
  const record = {
    id: newId(idPrefixes.generation),
    accountId: principal.account.id,
    keyId: principal.key.id,
    kind,
    lane: quoted.lane,
    model: quoted.renderRequest.model,
    projectId: quoted.renderRequest.project_id,
    costMillicredits: quoted.costMillicredits,
    expectedOutputs: quoted.outputs,
    metadata: JSON.stringify(body.metadata ?? {}),
    idempotencyKey,
    renderRequest: JSON.stringify(quoted.renderRequest),
    quote: quoted.quote,
    uploads: quoted.uploads,
    sentBody: JSON.stringify(quoted.sentBody),
    balance: quoted.balance,
  };
  const bodyStart = acceptedBodyStart({
    id: record.id,
    kind,
    model: record.model,
    project_id: record.projectId,
    cost_millicredits: record.costMillicredits,
    expected_outputs: record.expectedOutputs,
    metadata: record.metadata,
  });
  return { ...record, bodyStart };
}

function replay(body: string): RawReply {
  return new RawReply(202, body, { [headers.idempotentReplayed]: 'true' });
}
