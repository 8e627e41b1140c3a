import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { StudioBalance } from '@renderkit/contract/studio/schemas/account.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { headers } from '@renderkit/contract/v1/headers.ts';
import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { Principal } from '../../admission/principal.ts';
import { checkBudget } from '../../budgets/budget.ts';
import { RawReply } from '../../handler.ts';
import { fingerprint } from '../../idempotency/fingerprint.ts';
import { createFlights } from '../../idempotency/idempotency-key.ts';
import { keyReused } from '../../idempotency/key-reused.ts';
import type { CrashPoint } from '../crash-point.ts';
import { acceptedBodyStart } from '../present.ts';
import { createAccept } from './accept.ts';
import { type NamedUpload, type Prospect, readProspects } from './store.ts';

/** A create as it came: validated by its schema, defaults not filled in. */
export type CreateRequest = {
  principal: Principal;
  kind: GenerationKind;
  body: { metadata?: Record<string, string> };
  idempotencyKey: string | undefined;
  /** As the contract writes them. */
  method: string;
  path: string;
};

/** A request that the model can do and the studio quoted. Amounts in 1/1000 credit. */
export type QuotedRequest = {
  renderRequest: RenderRequest;
  lane: Lane;
  costMillicredits: number;
  outputs: number;
  quote: string;
  balance: StudioBalance;
  /** Uploads that it names, and those that are to be made of addresses. */
  uploads?: readonly NamedUpload[] | undefined;
};

/**
 * Judges a create against the catalog, calls `checkBudget` with its cost before anything goes to the studio, and has
 * it quoted there. Whether the credits suffice is left to the accept. @throws ApiProblem
 */
export type JudgeAndQuote = (request: {
  accountId: string;
  kind: GenerationKind;
  body: unknown;
  checkBudget: (costMillicredits: number) => void;
}) => Promise<QuotedRequest>;

export type CreateGenerationOptions = {
  database: Database;
  queueCap: number;
  judgeAndQuote: JudgeAndQuote;
  resolveDoubt: (accountId: string) => Promise<void>;
  /** Told of each accept once it is committed. */
  onAccepted: (accountId: string, lane: Lane) => void;
  /** Told where an accepted one names addresses. */
  onImports: () => void;
  crashPoint?: CrashPoint | undefined;
};

export type CreateGeneration = (request: CreateRequest) => Promise<RawReply>;

const lookUpSize = 200;
const lookUpsInFlight = 2;

/** Makes the verb behind the four creates: from a validated body to the 202 (docs/api.md §4). @throws ApiProblem */
export function createGenerationCreator(options: CreateGenerationOptions): CreateGeneration {
  const flights = createFlights();
  const accept = createAccept(options);
  const lookUp = createBatcher<Parameters<typeof readProspects>[1][number], Prospect>({
    run: (asked) => readProspects(options.database, asked),
    maxSize: lookUpSize,
    maxInFlight: lookUpsInFlight,
    isHopeless: isDatabaseUnavailable,
  });

  const createNew = async (request: CreateRequest, print: string | undefined, prospect: Prospect) => {
    const { principal, kind, body } = request;
    const judged = await options.judgeAndQuote({
      accountId: principal.account.id,
      kind,
      body,
      checkBudget: (cost) => checkBudget(cost, prospect.budgetLeft),
    });
    await options.crashPoint?.('create-judged');
    const record = recordOf(request, judged);
    const accepted = await accept({ ...record, fingerprint: print });
    if (!accepted.replayed) {
      options.onAccepted(record.accountId, record.lane);
      if (record.uploads?.some(({ url }) => url !== undefined) === true) options.onImports();
    }
    await options.crashPoint?.('create-accepted');
    return accepted.replayed ? replay(accepted.body) : new RawReply(202, accepted.body);
  };

  return async (request) => {
    const { principal, idempotencyKey } = request;
    const asked = { accountId: principal.account.id, keyId: principal.key.id, idempotencyKey };
    if (idempotencyKey === undefined) return createNew(request, undefined, await lookUp(asked));
    const print = await fingerprint(request.method, request.path, request.body);
    let prospect: Prospect;
    return flights.share(
      { accountId: asked.accountId, idempotencyKey },
      async () => {
        prospect = await lookUp(asked);
        if (prospect.earlier === undefined) return undefined;
        if (prospect.earlier.fingerprint !== print) throw keyReused();
        return replay(prospect.earlier.body);
      },
      () => createNew(request, print, prospect),
    );
  };
}

function recordOf({ principal, kind, body, idempotencyKey }: CreateRequest, judged: QuotedRequest) {
  const record = {
    id: newId(idPrefixes.generation),
    accountId: principal.account.id,
    keyId: principal.key.id,
    kind,
    lane: judged.lane,
    model: judged.renderRequest.model,
    projectId: judged.renderRequest.project_id,
    costMillicredits: judged.costMillicredits,
    expectedOutputs: judged.outputs,
    metadata: JSON.stringify(body.metadata ?? {}),
    idempotencyKey,
    renderRequest: JSON.stringify(judged.renderRequest),
    quote: judged.quote,
    uploads: judged.uploads,
    balance: judged.balance,
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
