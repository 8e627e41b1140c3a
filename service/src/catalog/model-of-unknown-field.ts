import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, kindFacts, type Suite } from '@renderkit/contract/studio/kinds.ts';
import { ratiosOf } from '@renderkit/contract/studio/offers.ts';
import type { OperationId } from '@renderkit/contract/v1/operations.ts';
import { describeUnknown, type ModelFacts } from '../validation/describe-unknown-field.ts';
import type { ExplainUnknown } from '../validation/validate-request.ts';
import type { CatalogCache } from './catalog-cache.ts';
import { type CatalogIndex, indexOf } from './catalog-index.ts';

/** What the operations make whose requests are validated against a model; an estimate says it in its body. */
const kinds: Partial<Record<OperationId, Kind | 'in body'>> = {
  createImageGeneration: 'image',
  createImageEdit: 'image_edit',
  createVideoGeneration: 'video',
  extendVideo: 'video_extend',
  estimate: 'in body',
};
/** A misspelt field waits no longer for the catalog. */
const patienceMs = 1_000;

/**
 * Makes, for an operation whose requests name a model, what points from a field that there is not to what the model has:
 * its ratios, its options. Undefined for any other operation. Without a catalog the messages stay as they are.
 */
export function createExplainUnknown(
  catalogCache: CatalogCache,
): (operation: OperationId) => ExplainUnknown | undefined {
  return (operation) => {
    const kindOfOperation = kinds[operation];
    if (kindOfOperation === undefined) return undefined;
    return async ({ accountId, body, errors }) => {
      const { model: id, kind = kindOfOperation } = body as { model?: unknown; kind?: unknown };
      const index = await catalogInTime(catalogCache, accountId);
      if (index === undefined) return;
      // The form of an estimate knows no fields, nor unknown ones, of a kind that there is not.
      const { suite } = kindFacts[(kindOfOperation === 'in body' ? kind : kindOfOperation) as Kind];
      const model = factsOf(index, typeof id === 'string' ? id : undefined, suite);
      for (const error of errors)
        if (error.unknown !== undefined)
          error.message = describeUnknown(error.unknown.name, {
            what: 'field',
            names: error.unknown.names,
            model,
          });
    };
  };
}

async function catalogInTime(cache: CatalogCache, accountId: string): Promise<CatalogIndex | undefined> {
  const atHand = cache.peek(accountId);
  if (atHand !== undefined) return indexOf(atHand.catalog);
  const given = new AbortController();
  const read = cache.get(accountId).then(
    ({ catalog }) => indexOf(catalog),
    // The form of the request is validated without the studio: whatever is wrong there, the refusal stands.
    () => undefined,
  );
  const late = sleep(patienceMs, undefined, { signal: given.signal }).catch(() => undefined);
  return Promise.race([read, late]).finally(() => given.abort());
}

function factsOf(index: CatalogIndex, id: string | undefined, suite: Suite): ModelFacts | undefined {
  const model = id === undefined ? index.defaults.get(suite) : index.models.get(id);
  if (model === undefined) return undefined;
  return {
    id: model.id,
    ratios: ratiosOf(model.parameters, suite),
    // A request to extend a video has no options: the only one that it can set is a field.
    options: suite === 'extend' ? [] : model.parameters.options.map(({ key }) => key),
  };
}
