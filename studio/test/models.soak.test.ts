import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

let studio: TestStudio;
let account: TestAccount;
let models: StudioModel[];
before(async () => {
  studio = await startTestStudio();
  account = await studio.connect({ tier: 'pro' });
  models = (await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog')).body.models;
  await account.upload('upl_image', await makeImage({ width: 96, height: 64 }));
  await account.upload('upl_video', await makeMedia(studio.dataDirectory, 'video.mp4'));
  await account.upload('upl_audio', await makeMedia(studio.dataDirectory, 'bell.wav'));
  for (const token of ['upl_image', 'upl_video', 'upl_audio']) await account.checked(token);
});
after(() => studio[Symbol.asyncDispose]());

/** Returns the shortest request for the model, with all parameters that it accepts and its defaults. */
function fullRequest(model: StudioModel): Partial<RenderRequest> {
  const { parameters } = model;
  const { frames, audio, source_video, cfg, weight, sampler, mask_blur } = parameters;
  const isVideo = model.suites.includes('video');
  const ratio = isVideo ? parameters.video_aspect_ratios.at(-1) : parameters.aspect_ratios.at(-1)?.ratio;
  const durations = parameters.durations.map(({ value }) => Number(value));
  return {
    kind: isVideo ? 'video' : 'image_edit',
    model: model.id,
    prompt: 'a lake at night',
    options: Object.fromEntries(parameters.options.map((option) => [option.key, option.default])),
    ...(ratio !== undefined && { aspect_ratio: ratio }),
    ...(cfg && { cfg: cfg.default }),
    ...(weight && { weight: weight.default }),
    ...(sampler !== null && { sampler: sampler.split(',')[0] ?? '' }),
    reference_images: parameters.max_reference_images > 0 ? ['upl_image'] : [],
    ...(isVideo
      ? {
          duration_seconds: Math.min(...durations),
          ...(frames.start && { start_image: 'upl_image' }),
          ...(frames.end && { end_image: 'upl_image' }),
          ...(audio && { reference_audios: ['upl_audio'] }),
          ...(source_video && { source_video: 'upl_video' }),
        }
      : {
          image: 'upl_image',
          strength: 0.5,
          ...(model.inpaint
            ? { mode: 'inpaint', mask: 'upl_image', ...(mask_blur && { mask_blur: mask_blur.default }) }
            : { mode: 'transform' }),
        }),
  };
}

test('every model for edits and videos makes what it promises out of all that it takes', async () => {
  const made = models.filter(({ suites }) => suites.includes('edit') || suites.includes('video'));
  assert.ok(made.length >= 8);
  for (const model of made) {
    const token = `gen_${model.id}`;
    const answer = await account.submit(token, fullRequest(model));
    assert.equal(answer.outcome, 'accepted', `${model.id} ${JSON.stringify(answer)}`);
    let render = await account.call<StudioAnswer<'getRender'>>('GET', `/api/renders/${token}`);
    for (let i = 0; i < 900 && !['succeeded', 'failed'].includes(render.body.status); i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      render = await account.call('GET', `/api/renders/${token}`);
    }
    const { status, error, outputs, expected_outputs } = render.body;
    assert.deepEqual([status, error], ['succeeded', null], `${model.id} ${JSON.stringify(error)}`);
    assert.equal(outputs.length, expected_outputs, model.id);
    for (const output of outputs) {
      assert.equal(output.type, model.suites.includes('video') ? 'video' : 'image', model.id);
      assert.equal((await fetch(output.url, { method: 'HEAD' })).status, 200, model.id);
    }
  }
});
