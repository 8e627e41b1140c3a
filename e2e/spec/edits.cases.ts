import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Fields, Problem } from './caller.ts';
import {
  assertRefused,
  ended,
  type Generation,
  type List,
  sharedWorld,
  type Person,
  rendered,
  type World,
} from './world.ts';

type Model = {
  id: string;
  suites: string[];
  default_for: string[];
  inpaint: boolean;
  tiers: string[];
  batch_size: Record<string, number>;
  parameters: {
    same_ratio_supported: boolean;
    max_reference_images: number;
    mask_blur: { min: number; max: number; step: number; default: number } | null;
    weight: { min: number; max: number } | null;
    aspect_ratios: { ratio: string; width: number; height: number }[];
  };
};

describe('§4 what a request for an edit may say', () => {
  let world: World;
  let pro: Person;
  let models: Model[];
  let source: Generation['outputs'][number];
  let mask: string;

  before(async () => {
    world = await sharedWorld();
    pro = await world.person();
    models = (await pro.call<List<Model>>('GET', '/v1/models?suite=edit')).body.data;
    source = (await rendered(pro.call)).outputs[0] as Generation['outputs'][number];
    // The picture itself can be the mask: it has the right size and some bright pixels.
    mask = `data:image/png;base64,${Buffer.from(await (await fetch(source.url)).arrayBuffer()).toString('base64')}`;
  });

  const modelWhere = (fits: (model: Model) => boolean) => {
    const found = models.find(fits);
    assert.ok(found, 'the catalog has none of these');
    return found;
  };
  const draft = () => ({ image: source.id, prompt: 'the same in winter' });
  /** Sends the fields to both operations, which must accept or refuse them with the same messages. */
  const both = async (fields: Fields) => {
    const body = { ...draft(), ...fields };
    const quoted = await pro.call('POST', '/v1/estimate', { body: { kind: 'image_edit', ...body } });
    const made = await pro.call<Generation>('POST', '/v1/images/edits', { body });
    assert.equal(quoted.status === 200, made.status === 202, `${quoted.text} ${made.text}`);
    if (made.status === 202) assert.equal(made.body.cost.credits, quoted.body['credits']);
    else
      assert.deepEqual(
        [quoted.body['code'], quoted.body['detail']],
        [(made.body as unknown as Problem).code, (made.body as unknown as Problem).detail],
      );
    return made;
  };
  const refused = async (fields: Fields, ...names: string[]) =>
    assertRefused(await both(fields), 'invalid_request', ...names);
  const finished = async (fields: Fields) => {
    const made = await both(fields);
    assert.equal(made.status, 202, made.text);
    const done = await ended(pro.call, made.body.id);
    assert.equal(done.status, 'succeeded', JSON.stringify(done));
    return done;
  };

  test('an edit needs an image, and one that is the account’s own', async () => {
    const bare = await pro.call('POST', '/v1/images/edits', { body: { prompt: 'x' } });
    assertRefused(bare, 'invalid_request', 'image');
    await refused({ image: '' }, 'image');
    await refused({ image: 'ast_nobody' }, 'image');
    await refused({ image: 'upl_nobody' }, 'image');
    await refused({ image: 'ftp://example.com/a.png' }, 'image');
    await refused({ image: 'http://example.com/a.png' }, 'image');
    await refused({ image: 'https://127.0.0.1/a.png' }, 'image');
    await refused({ image: 7 }, 'image');
    await refused({ image: 'x'.repeat(2_049) }, 'image');
    const stranger = await world.person();
    const theirs = await stranger.call('POST', '/v1/images/edits', { body: draft() });
    assertRefused(theirs, 'invalid_request', 'image');
  });

  test('the default model changes it as a whole, in its own size', async () => {
    const done = await finished({});
    assert.ok(modelWhere(({ id }) => id === done.model).default_for.includes('edit'));
    const [output] = done.outputs;
    if (modelWhere(({ id }) => id === done.model).parameters.same_ratio_supported)
      assert.equal(Number(output?.width) / Number(output?.height), source.width / source.height);
    assert.notEqual(output?.id, source.id);
    const { body } = await pro.call('GET', `/v1/assets/images/${String(output?.id)}`);
    assert.equal(body['url'], output?.url);
  });

  test('a masked part is made anew, refined or filled, where the model can', async () => {
    const { id, parameters } = modelWhere(({ inpaint }) => inpaint);
    const inpaint = { model: id, mode: 'inpaint', mask };
    for (const more of [{}, { inpaint_type: 'fill' }, { inpaint_type: 'refine', strength: 1 }])
      assert.equal((await both({ ...inpaint, ...more })).status, 202);
    await finished({ ...inpaint, inpaint_type: 'fill' });
    const blur = parameters.mask_blur;
    if (blur !== null) {
      for (const mask_blur of [blur.min, blur.max])
        assert.equal((await both({ ...inpaint, mask_blur })).status, 202);
      for (const mask_blur of [blur.min - blur.step, blur.max + blur.step])
        await refused({ ...inpaint, mask_blur }, 'mask_blur');
    }
  });

  test('a mask and what goes with it are for inpaint alone, and inpaint has a mask', async () => {
    const { id } = modelWhere(({ inpaint }) => inpaint);
    await refused({ model: id, mask }, 'mask');
    await refused({ model: id, inpaint_type: 'fill', mask_blur: 1 }, 'inpaint_type', 'mask_blur');
    await refused({ model: id, mode: 'transform', mask }, 'mask');
    await refused({ model: id, mode: 'inpaint' }, 'mask');
    await refused({ model: modelWhere(({ inpaint }) => !inpaint).id, mode: 'inpaint', mask }, 'mode');
  });

  test('a mask is a PNG, as a data URL or an upload, and of the shape of its image', async () => {
    const { id } = modelWhere(({ inpaint }) => inpaint);
    const inpaint = { model: id, mode: 'inpaint' };
    for (const wrong of [
      '',
      'x',
      source.id,
      'upl_nobody',
      'https://example.com/mask.png',
      'data:image/png;base64,',
      'data:image/png;base64,AAAA',
      'data:image/png;base64,!!!!',
      'data:image/jpeg;base64,/9j/4AAQ',
      'data:image/png,plain',
      'x'.repeat(15_000_001),
    ])
      await refused({ ...inpaint, mask: wrong }, 'mask');
  });

  test('strength, mode and type of inpaint stay within what there is', async () => {
    for (const strength of [0.1, 0.5, 1]) assert.equal((await both({ strength })).status, 202);
    for (const strength of [0, 0.09, 1.01, -1, '0.5', null]) await refused({ strength }, 'strength');
    for (const mode of ['outpaint', '', 'Transform', null]) await refused({ mode }, 'mode');
    const { id } = modelWhere(({ inpaint }) => inpaint);
    for (const inpaint_type of ['erase', '', null])
      await refused({ model: id, mode: 'inpaint', mask, inpaint_type }, 'inpaint_type');
  });

  test('all that an image request may say is validated here too', async () => {
    await refused({ model: 'sketch-1' }, 'model');
    await refused({ model: 'nobody' }, 'model');
    await refused({ prompt: 'x'.repeat(4_097) }, 'prompt');
    await refused({ aspect_ratio: '7:3', styles: ['sty_none'] }, 'aspect_ratio', 'styles[0]');
    await refused({ metadata: { a: 'x'.repeat(501) }, options: { a: [] } }, 'metadata.a', 'options.a');
    await refused({ duration: 5, video_id: 'x' }, 'duration', 'video_id');
    const { id, parameters } = modelWhere(({ default_for }) => default_for.includes('edit'));
    const few = Array.from({ length: parameters.max_reference_images }, () => source.id);
    assert.equal((await both({ model: id, reference_images: few })).status, 202);
    await refused({ model: id, reference_images: [...few, source.id] }, 'reference_images');
    const framed = modelWhere(({ parameters: { same_ratio_supported } }) => !same_ratio_supported);
    const [first] = framed.parameters.aspect_ratios;
    const done = await finished({ model: framed.id, aspect_ratio: first?.ratio });
    assert.deepEqual(
      done.outputs.map(({ width, height }) => [width, height]),
      Array.from({ length: framed.batch_size['Transform'] ?? 0 }, () => [first?.width, first?.height]),
    );
  });

  test('a free account may not use a model of another plan', async () => {
    const free = await world.person({ tier: 'free' });
    const model = modelWhere(({ tiers }) => tiers.length > 0 && !tiers.includes('free')).id;
    const own = (await rendered(free.call)).outputs[0]?.id;
    for (const [path, body] of [
      ['/v1/images/edits', { model, image: own, prompt: 'x' }],
      ['/v1/estimate', { kind: 'image_edit', model, image: own, prompt: 'x' }],
    ] as const)
      assertRefused(await free.call('POST', path, { body }), 'tier_required');
  });
});
