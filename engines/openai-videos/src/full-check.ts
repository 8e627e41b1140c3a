import { checkByJobs, type CheckJob } from '@renderkit/engine-kit/check-by-jobs.ts';
import type { FullCheck } from '@renderkit/engine-kit/full-check.ts';
import type { JsonObject } from '@renderkit/engine-kit/route.ts';
import { createOpenaiVideosDriver } from './driver.ts';

function jobOf(body: JsonObject): CheckJob {
  return {
    route: {
      name: 'check',
      engine: 'openai-videos',
      on: [],
      body: { seconds: '4', size: '832x480', ...body },
      set: {},
      outputs: { kind: 'video', max_per_job: 1 },
    },
    values: (number) => [{ target: '/prompt', kind: 'plain', value: `a grey square, number ${number}` }],
  };
}

/** Requests a few short videos from the server's own model, if the budget allows it. */
export const checkOpenaiVideosBackend: FullCheck = checkByJobs({
  createDriver: createOpenaiVideosDriver,
  job: jobOf({}),
  edit: { ...jobOf({}), picture: '/input_reference' },
  invalid: jobOf({ seconds: 'many' }),
  missing: {
    version: 'its API does not say its version.',
    'interrupt by id': 'a video that runs is finished, and billed.',
    'cached run': 'each video is made anew.',
  },
  // Four seconds at the price of a typical provider.
  cost: { perJob: 0.5, currency: 'USD' },
  stepSeconds: 1_200,
});
