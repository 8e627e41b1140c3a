import { checkByJobs, type CheckJob } from '@renderkit/engine-kit/check-by-jobs.ts';
import type { FullCheck } from '@renderkit/engine-kit/full-check.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { createA1111Driver } from './driver.ts';

const size = { width: 64, height: 64 };

function jobOf(call: NonNullable<Route['call']>, body: JsonObject): CheckJob {
  return {
    route: {
      name: 'check',
      engine: 'a1111',
      on: [],
      call,
      body: { prompt: 'a grey square', steps: 2, ...size, ...body },
      set: {},
      outputs: { at: '/images/*', kind: 'image', max_per_job: 1 },
      on_unknown: 'retry',
    },
  };
}

/** Draws a few pictures of 64 by 64 pixels with the loaded checkpoint. */
export const checkA1111Backend: FullCheck = checkByJobs({
  createDriver: createA1111Driver,
  job: jobOf('txt2img', {}),
  edit: { ...jobOf('img2img', { denoising_strength: 0.5 }), picture: '/init_images/0' },
  invalid: jobOf('txt2img', { width: 'wide' }),
  slow: jobOf('txt2img', { steps: 30, width: 128, height: 128 }),
  missing: {
    version: 'its API does not say its version.',
    'fetch with a range': 'the answer holds the picture itself.',
    'queue delete': 'its API takes nothing out of the queue.',
    'cached run': 'each picture is made anew.',
    restart: 'pictures go with the answer, and a job whose answer was lost is made again.',
  },
  // The first job may load a checkpoint.
  stepSeconds: 300,
});
