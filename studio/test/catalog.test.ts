import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import { setAccount } from '@renderkit/studio/operator.ts';
import { startTestStudio } from './harness.ts';

test('every model for images draws what it promises, with the defaults it names', async () => {
  await using studio = await startTestStudio({ workers: 2 });
  const account = await studio.connect({ tier: 'pro' });
  await setAccount(studio.database, account.email, { ageVerified: true });
  const { body: catalog } = await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog');
  const drawing = catalog.models.filter(
    ({ id, suites }) => suites.includes('image') && !id.startsWith('sandbox-'),
  );
  for (const [i, model] of drawing.entries()) {
    const { aspect_ratios, cfg, weight, clip_skip, sampler, options } = model.parameters;
    const ratio = aspect_ratios.at(-1);
    assert.ok(ratio);
    const answer = await account.submit(`gen_${i}`, {
      model: model.id,
      prompt: model.prompt_required ? 'a figure by the sea' : '',
      aspect_ratio: ratio.ratio,
      options: Object.fromEntries(options.map((option) => [option.key, option.default])),
      ...(cfg && { cfg: cfg.default }),
      ...(weight && { weight: weight.default }),
      ...(clip_skip && { clip_skip: clip_skip.default }),
      ...(sampler !== null && { sampler: sampler.split(',')[0] ?? '' }),
      ...(model.base_models && { base_model: Object.values(model.base_models)[0]?.default ?? '' }),
      // The first style, watercolour, cannot be combined with ink.
      styles: [catalog.styles[1]?.id ?? ''],
      suggestions: [catalog.suggestions[0]?.id ?? ''],
    });
    assert.equal(answer.outcome, 'accepted', `${model.id} ${JSON.stringify(answer)}`);
    const render = await account.finished(`gen_${i}`);
    assert.equal(render.status, 'succeeded', `${model.id} ${JSON.stringify(render.error)}`);
    assert.equal(render.error, null, model.id);
    assert.equal(render.outputs.length, model.batch_size['Conjure']);
    for (const output of render.outputs)
      assert.deepEqual([output.width, output.height, output.nsfw], [ratio.width, ratio.height, model.nsfw]);
  }
});

test('between them the models differ in everything that a client may set', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  const { body: catalog } = await account.call<StudioAnswer<'getCatalog'>>('GET', '/api/catalog');
  const { models } = catalog;
  const varies = (of: (model: (typeof models)[0]) => unknown) =>
    assert.ok(new Set(models.map((model) => JSON.stringify(of(model)))).size > 1, String(of));
  for (const name of [
    'cfg',
    'weight',
    'clip_skip',
    'sampler',
    'aspect_ratios',
    'max_reference_images',
  ] as const)
    varies(({ parameters }) => parameters[name]);
  varies(({ prompt_required }) => prompt_required);
  varies(({ tiers }) => tiers);
  varies(({ nsfw }) => nsfw);
  varies(({ parameters }) => parameters.options.some(({ key }) => key === 'seed'));
  assert.deepEqual(new Set(models.map(({ kind }) => kind)), new Set(['system', 'custom', 'character']));
  const forImages = models.filter(({ suites }) => suites.includes('image'));
  assert.deepEqual(new Set(forImages.map(({ batch_size }) => batch_size['Conjure'])), new Set([1, 2, 4]));
  const types = models.flatMap(({ parameters }) => parameters.options.map(({ type }) => type));
  assert.deepEqual(new Set(types), new Set(['select', 'toggle', 'slider']));
  assert.ok(models.some(({ id, base_models }) => id.startsWith('character/') && base_models !== undefined));
  const [byDefault, ...others] = models.filter(({ default_for }) => default_for.includes('image'));
  assert.deepEqual([byDefault?.price.base_millicredits, byDefault?.tiers, others], [4_000, [], []]);
  for (const { description } of models) assert.match(description ?? '', /procedural.*no AI model/is);
  assert.equal(new Set(models.map(({ id }) => id)).size, models.length);
  for (const suite of ['image', 'edit', 'video', 'extend'] as const) {
    const defaults = models.filter(({ default_for }) => default_for.includes(suite));
    assert.deepEqual([defaults.length, defaults[0]?.tiers], [1, []], suite);
    assert.ok(defaults.every(({ suites }) => suites.includes(suite)));
    const batch = { image: 'Conjure', edit: 'Transform', video: 'Motion', extend: 'ExtendVideo' }[suite];
    for (const model of models.filter(({ suites }) => suites.includes(suite)))
      assert.ok((model.batch_size[batch] ?? 0) >= 1, model.id);
  }
  const some = (holds: (model: (typeof models)[0]) => boolean) =>
    assert.ok(models.some(holds), String(holds));
  some(
    ({ suites, inpaint, parameters }) => suites.includes('edit') && inpaint && parameters.mask_blur !== null,
  );
  some(
    ({ suites, inpaint, parameters }) => suites.includes('edit') && inpaint && parameters.mask_blur === null,
  );
  some(({ suites, inpaint }) => suites.includes('edit') && !inpaint);
  some(({ suites, parameters }) => suites.includes('edit') && !parameters.same_ratio_supported);
  some(({ parameters }) => parameters.frames.start && !parameters.frames.start_required);
  some(({ parameters }) => parameters.frames.start_required);
  some(({ parameters }) => parameters.frames.end);
  some(({ parameters }) => parameters.audio !== null);
  some(({ parameters }) => parameters.source_video !== null);
  some(({ suites, parameters }) => suites.includes('extend') && parameters.options[0]?.key === 'resolution');
  assert.ok(new Set(catalog.suggestions.map(({ category_id }) => category_id)).size >= 5);
});
