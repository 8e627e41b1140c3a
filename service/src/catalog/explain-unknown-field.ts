import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, kindFacts, type Suite } from '@renderkit/contract/studio/kinds.ts';
import { ratiosOf } from '@renderkit/contract/studio/offers.ts';
import type { OperationId } from '@renderkit/contract/v1/operations.ts';
import { describeUnknown, type ModelFacts } from '../validation/describe-unknown-field.ts';
import type { ExplainUnknown } from '../validation/validate-request.ts';
import type { CatalogCache } from './catalog-cache.ts';
import { type CatalogIndex, indexOf } from './catalog-index.ts';

/**
 * The kind that each operation makes, for operations that validate their requests against a model. An estimate names
 * its kind in the body.
 */
const kinds: Partial<Record<OperationId, Kind | 'in body'>> = {
  createImageGeneration: 'image',
  createImageEdit: 'image_edit',
  createVideoGeneration: 'video',
  extendVideo: 'video_extend',
  estimate: 'in body',
};
/** The answer about a misspelt field waits at most this long for the catalog. */
const patienceMs = 1_000;

/**
 * Makes a function that explains unknown fields with the ratios and options that the model has. Returns `undefined` for
 * operations whose requests name no model. Without a catalog the messages stay unchanged.
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
      // When an estimate names an unknown kind, its schema reports no unknown fields.
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
    // The studio is not needed to validate the form of a request. When the studio fails, the refusal stays as it is.
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
    // A request to extend a video has no options. The only option that it could set is a field of its own.
    options: suite === 'extend' ? [] : model.parameters.options.map(({ key }) => key),
  };
}
