import { checkByJobs, type CheckJob } from '@renderkit/engine-kit/check-by-jobs.ts';
import type { FullCheck } from '@renderkit/engine-kit/full-check.ts';
import type { JsonObject } from '@renderkit/engine-kit/route.ts';
import { createReplicateDriver, isCogServer } from './driver.ts';

function jobOf(endpoint: string, body: JsonObject): CheckJob {
  return {
    route: {
      name: 'check',
      engine: 'replicate',
      on: [],
      endpoint,
      body: { prompt: 'a grey square', ...body },
      set: {},
      outputs: { kind: 'image', max_per_job: 1 },
    },
    values: (number) => [{ target: '/seed', kind: 'plain', value: number % 2 ** 31 }],
  };
}

const official = 'black-forest-labs/flux-schnell';
const small = { num_outputs: 1, megapixels: '0.25', output_format: 'png' };
const same = {
  version: 'its API does not say its version.',
  upload: 'a picture of up to 5 MB goes along in the call.',
  'cached run': 'each picture is made anew.',
};

const checkReplicate = checkByJobs({
  createDriver: createReplicateDriver,
  job: jobOf(official, small),
  invalid: jobOf(official, { ...small, num_outputs: 'many' }),
  missing: same,
  cost: { perJob: 0.01, currency: 'USD' },
  stepSeconds: 300,
});

const checkCog = checkByJobs({
  createDriver: createReplicateDriver,
  job: jobOf('predictions', {}),
  invalid: jobOf('predictions', { prompt: { not: 'a text' } }),
  missing: {
    ...same,
    'submit with own id': 'asked for an id again, it makes the picture anew.',
    progress: 'it answers once, when the picture is done.',
    'queue delete': 'it has no queue.',
    restart: 'pictures go with the answer, and nothing is kept there.',
  },
  stepSeconds: 300,
});

/**
 * Requests a few small pictures from Replicate, if the budget allows it. From a Cog server, requests what its model
 * makes of a prompt.
 */
export const checkReplicateBackend: FullCheck = (tools, signal, budget) =>
  (isCogServer(tools) ? checkCog : checkReplicate)(tools, signal, budget);
