import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { type AddedModel, repriceDraft } from '@renderkit/studio/administration/add-model.ts';
import { publishModel } from '@renderkit/studio/administration/models.ts';
import { priceOfSample, type Sample, sampleModel } from '@renderkit/studio/administration/sample-model.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import { openMedia } from '@renderkit/studio/storage/open-media.ts';
import type { Context } from './command.ts';
import type { OperatorDatabases } from './open-databases.ts';

const actor = 'operator';
const defaultWithinSeconds = { image: 20 * 60, video: 90 * 60 };
const sayEveryMs = 15_000;

export type OfferWish = {
  publish: boolean;
  /** `own`: only by routes that cost nothing; `paid`: also by those of paid providers. */
  sample: 'no' | 'own' | 'paid';
  /** How long to wait for the sample, in seconds. */
  withinSeconds: number | undefined;
  /** Known problems of the model. If there are any, no sample is made, and the model is not offered. */
  problems: readonly Problem[];
  /** The prompt for the sample. */
  prompt?: string | undefined;
  /** Whether the sample decides the price. */
  isPriceOpen?: boolean;
};

export type Offered = Pick<AddedModel, 'version' | 'price'> & {
  published: boolean;
  sample: { seconds: number; with_loading: boolean } | null;
  problems: readonly Problem[];
  /** Lines about the sample, for a person. */
  said: readonly string[];
};

/** Makes a sample of an added model, sets the price by the sample, and offers the model if requested. */
export async function offerAdded(
  databases: OperatorDatabases,
  added: AddedModel,
  wish: OfferWish,
  context: Context,
): Promise<Offered> {
  const { studio: database } = databases;
  const { id } = added;
  const sample =
    wish.sample === 'no' || wish.problems.length > 0
      ? undefined
      : await takeSample(databases, added, wish, context);
  const failure = sample?.outcome === 'failed' ? [sampleProblem(sample.reason)] : [];
  const problems = [...wish.problems, ...failure];
  const draft =
    sample?.outcome === 'made' && wish.isPriceOpen === true
      ? await repriceDraft(database, added, priceOfSample(sample.seconds), actor)
      : { version: added.version, price: added.price };
  const published = wish.publish && problems.length === 0;
  if (published) await publishModel(database, { id, version: draft.version }, actor);
  return {
    ...draft,
    published,
    sample:
      sample?.outcome === 'made' ? { seconds: sample.seconds, with_loading: sample.with_loading } : null,
    problems,
    said: sample === undefined ? [] : sampleLines(sample),
  };
}

async function takeSample(
  databases: OperatorDatabases,
  { id, version, suites }: AddedModel,
  wish: OfferWish,
  { progress }: Context,
): Promise<Sample> {
  const kind = suites.includes('video') || suites.includes('extend') ? 'video' : 'image';
  const begun = performance.now();
  let said = { at: Number.NEGATIVE_INFINITY, line: '' };
  const storage = await openMedia(databases.studio, readWorkerConfig(databases.environments.worker));
  const options = {
    mayCost: wish.sample === 'paid',
    prompt: wish.prompt,
    withinMs: (wish.withinSeconds ?? defaultWithinSeconds[kind]) * 1000,
    signal: new AbortController().signal,
    onLook: ({ backend }: { backend: string | null }) => {
      const line = backend === null ? 'A sample waits for a backend' : `${backend} makes a sample`;
      const now = performance.now();
      if (line === said.line && now - said.at < sayEveryMs) return;
      progress(`${line} (${Math.round((now - begun) / 1000)} s).`);
      said = { at: now, line };
    },
  };
  return sampleModel({ id, version }, options, storage);
}

function sampleProblem(reason: string): Problem {
  return { code: 'sample_failed', message: `No sample could be made: ${reason}` };
}

function sampleLines(sample: Sample): string[] {
  switch (sample.outcome) {
    case 'made': {
      const loading = sample.with_loading ? ', with loading the weights' : '';
      return [`A sample took ${sample.seconds.toFixed(1)} s${loading}.`];
    }
    case 'none':
      return [`No sample was made: ${sample.reason}`];
    case 'failed':
      return [];
  }
}
