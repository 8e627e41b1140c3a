import { checkByJobs, type CheckJob } from '@renderkit/engine-kit/check-by-jobs.ts';
import type { FullCheck } from '@renderkit/engine-kit/full-check.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { createOpenaiImagesDriver } from './driver.ts';

function jobOf(call: NonNullable<Route['call']>, body: JsonObject): CheckJob {
  return {
    route: {
      name: 'check',
      engine: 'openai-images',
      on: [],
      call,
      body: { model: 'gpt-image-1', quality: 'low', ...body },
      set: {},
      outputs: { at: '/data/*/b64_json', kind: 'image', max_per_job: 1 },
      on_unknown: 'fail',
    },
  };
}

const prompt = 'a grey square';
const noEnd = 'a request that was sent is finished, and billed.';

/** Requests a picture and an edit of the lowest quality, if the budget allows it. */
export const checkOpenaiImagesBackend: FullCheck = checkByJobs({
  createDriver: createOpenaiImagesDriver,
  job: jobOf('generations', { prompt }),
  edit: { ...jobOf('edits', { prompt }), picture: '/image' },
  invalid: jobOf('generations', {}),
  missing: {
    version: 'its API does not say its version.',
    'submit with own id': 'its API knows no id of ours.',
    progress: 'it answers once, when the picture is done.',
    'fetch with a range': 'the answer holds the picture itself.',
    'queue delete': noEnd,
    'interrupt by id': noEnd,
    'cached run': 'each picture is made anew.',
    restart: 'pictures go with the answer, and nothing is kept there.',
  },
  cost: { perJob: 0.02, currency: 'USD' },
  stepSeconds: 300,
});
