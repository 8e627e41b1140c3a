import type { KeyObject } from 'node:crypto';
import { kindFacts } from '@renderkit/contract/studio/kinds.ts';
import type { StudioBody } from '@renderkit/contract/studio/operations.ts';
import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { Render, SubmitAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import type { ValidatedReferences } from '@renderkit/contract/studio/validate-references.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { Bearer } from '../authentication/authenticate.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import type { Moderation } from '../moderation/moderation.ts';
import {
  type FindOwn,
  moderatedText,
  moderationRefusal,
  rejectedRefusal,
  validateOwnReferences,
} from './create-quotes.ts';
import { digestOf, readQuote } from './quote-token.ts';
import { refusal } from './refusals.ts';
import { waitingOf } from './waiting.ts';
import { acceptRenders, type SubmitItem, type SubmitRow } from './store.ts';
import { issueRefusal, validateRender } from './validate-render.ts';

const submitsPerTransaction = 64;
// Seconds after which a client should submit again for a busy account: about the time of a render.
const busyRetrySeconds = 1;

export type SubmitDependencies = {
  database: Database;
  quoteKey: KeyObject;
  moderation: Moderation;
  catalog: Catalog;
  findOwn: FindOwn;
  /** Called after commit for each account whose feed changed, and when jobs wait. */
  announce: { change: (account: string) => void; job: () => void };
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
  log: Logger;
};

/**
 * Creates the function that submits renders. Submits of one turn of the event loop share a transaction. The same token
 * always gets the same answer. `studio/sql/functions/accept_renders.sql` decides the rest: the account's state, its
 * limits, its credits, an expired quote.
 */
export function createSubmitter(
  dependencies: SubmitDependencies,
): (token: string, body: StudioBody<'submitRender'>, bearer: Bearer) => Promise<SubmitAnswer> {
  const submit = createBatcher<SubmitItem, SubmitRow>({
    run: (items) => submitGroup(dependencies, items),
    maxSize: submitsPerTransaction,
    maxInFlight: 2,
    // An unconfirmed commit counts as an unreachable database: the client submits again with its token.
    isHopeless: isDatabaseUnavailable,
  });
  return async (token, body, bearer) => {
    const { quoteKey, moderation, catalog, findOwn } = dependencies;
    const quoted = readQuote(quoteKey, body.quote);
    const { request } = body;
    // The token is looked up first even if this studio did not sign the quote: an earlier answer stays valid.
    const valid = quoted?.account === bearer.account.id && quoted.digest === digestOf(request);
    const model = await quotedModel(catalog, request.model, valid ? quoted.modelVersion : undefined);
    const references = await validateOwnReferences({ request, model, account: bearer.account.id }, findOwn);
    let refused: Refusal | undefined =
      validateRender(request, model, bearer.account).refusal ??
      rejectedRefusal(references) ??
      referenceRefusal(references);
    if (refused === undefined && valid && !quoted.moderated) {
      const blocked = await moderation.moderateText(moderatedText(request));
      if (blocked !== undefined) refused = moderationRefusal(blocked.reason);
    }
    const render = newId('rnd_');
    return presentSubmit(
      await submit({
        account: bearer.account.id,
        token,
        client: bearer.clientId,
        lane: kindFacts[request.kind].lane,
        request,
        project: request.project_id,
        cost: valid ? quoted.costMillicredits : 0,
        outputs: valid ? quoted.outputs : 0,
        quote_expires: valid ? quoted.expires : 0,
        refusal: refused ?? null,
        waits: references.waits,
        render,
        prompt: newId('prm_'),
        api_project: newId('prj_'),
        model_version: model?.version ?? null,
        waiting: model === undefined ? null : waitingOf(model, request, render),
      }),
    );
  };
}

/**
 * Returns the version that a quote was made for, whatever is published by now: that version is charged and rendered.
 */
async function quotedModel(
  catalog: Catalog,
  id: string,
  version: number | undefined,
): Promise<CatalogModel | undefined> {
  return version === undefined ? catalog.current().models.get(id) : catalog.version(id, version);
}

/**
 * Refuses a reference that does not hold at the submit. Since the quote a file may have gone, or an announced one may
 * not have come.
 */
function referenceRefusal({ unknown, issues }: ValidatedReferences): Refusal | undefined {
  const [field] = unknown;
  if (field !== undefined)
    return refusal('unprocessable', { field, message: 'There is no such item or upload.' });
  const [issue] = issues;
  return issue && issueRefusal(issue);
}

async function submitGroup(dependencies: SubmitDependencies, items: SubmitItem[]): Promise<SubmitRow[]> {
  const { database, announce, crashPoint, log } = dependencies;
  await crashPoint?.('submit: before the statement');
  const rows = await acceptRenders(database, items);
  for (const { item, is_new } of rows) {
    const submitted = items[item];
    if (!is_new || submitted === undefined) continue;
    const { account, token, render, request } = submitted;
    log.info({ request_id: request.request_id, token, render }, 'a render is accepted');
    announce.change(account);
    announce.job();
  }
  await crashPoint?.('submit: after the commit');
  return rows;
}

function presentSubmit({ outcome, answer }: SubmitRow): SubmitAnswer {
  switch (outcome) {
    case 'accepted':
      return { outcome, render: answer as Render };
    case 'busy':
      return { outcome, retry_after: busyRetrySeconds, limits: answer as StudioLimits };
    case 'refused': {
      const { code, message, field } = answer as Refusal;
      return {
        outcome,
        refusal: refusal(code, { ...(message && { message }), ...(field !== undefined && { field }) }),
      };
    }
    case 'barred':
      return { outcome };
  }
}
