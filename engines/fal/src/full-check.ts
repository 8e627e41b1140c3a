import { checkByJobs, type CheckJob } from '@renderkit/engine-kit/check-by-jobs.ts';
import type { FullCheck } from '@renderkit/engine-kit/full-check.ts';
import type { JsonObject } from '@renderkit/engine-kit/route.ts';
import { createFalDriver } from './driver.ts';

function jobOf(body: JsonObject): CheckJob {
  return {
    route: {
      name: 'check',
      engine: 'fal',
      on: [],
      endpoint: 'fal-ai/flux/schnell',
      body: {
        prompt: 'a grey square',
        image_size: { width: 512, height: 512 },
        num_inference_steps: 1,
        num_images: 1,
        output_format: 'png',
        ...body,
      },
      set: {},
      outputs: { at: '/images/*/url', kind: 'image', max_per_job: 1 },
    },
    values: (number) => [{ target: '/seed', kind: 'plain', value: number }],
  };
}

/** Requests a few small pictures from a cheap model, if the budget allows it. */
export const checkFalBackend: FullCheck = checkByJobs({
  createDriver: createFalDriver,
  job: jobOf({}),
  invalid: jobOf({ image_size: { width: 'wide', height: 512 } }),
  missing: {
    version: 'a provider says no version.',
    progress: 'its queue does not say how far a job is.',
    upload: 'a picture of up to 5 MB goes along in the call.',
    'cached run': 'each picture is made anew.',
  },
  // The minimum charge is one megapixel.
  cost: { perJob: 0.01, currency: 'USD' },
  stepSeconds: 300,
});
