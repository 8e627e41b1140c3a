import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Fields, Problem } from './caller.ts';
import {
  assertRefused,
  create,
  draft,
  estimate,
  type List,
  sharedWorld,
  type Person,
  rendered,
  type World,
} from './world.ts';

const fox = '🦊';

describe('§4 what a request for images may say', () => {
  let world: World;
  let pro: Person;
  let adult: Person;

  before(async () => {
    world = await sharedWorld();
    [pro, adult] = await Promise.all([world.person(), world.person({ ageVerified: true })]);
    // Nothing that is accepted here must be rendered.
    await world.setSlots(pro.who, 0);
  });

  /** Sends the fields to both operations, which must accept or refuse them with the same messages. */
  const both = async (fields: Fields, person = pro) => {
    const [made, quoted] = [await create(person.call, fields), await estimate(person.call, fields)];
    const told = JSON.stringify(fields)?.slice(0, 300);
    assert.deepEqual(
      [made.status, quoted.status].map((status) => status < 300),
      [made.status === 202, made.status === 202],
      told,
    );
    if (made.status !== 202)
      assert.deepEqual(
        [quoted.body['code'], quoted.body['detail']],
        [(made.body as unknown as Problem).code, (made.body as unknown as Problem).detail],
        told,
      );
    return made;
  };
  const accepted = async (fields: Fields) => {
    const made = await both(fields);
    assert.equal(made.status, 202, made.text);
    return made.body;
  };
  const refused = async (fields: Fields, ...names: string[]) =>
    assertRefused(await both(fields), 'invalid_request', ...names);

  test('texts have their lengths in code points: just so many pass, one more does not', async () => {
    await accepted({ prompt: fox.repeat(4_096) });
    await refused({ prompt: fox.repeat(4_097) }, 'prompt');
    const tooLong = { model: 200, base_model: 200, project_id: 100, aspect_ratio: 20, sampler: 100 };
    for (const [name, most] of Object.entries(tooLong)) {
      const [just, more] = [
        await both({ [name]: fox.repeat(most) }),
        await both({ [name]: fox.repeat(most + 1) }),
      ];
      // Both values are unknown. The message differs once the value is too long.
      assertRefused(just, 'invalid_request', name);
      assertRefused(more, 'invalid_request', name);
      assert.notEqual(
        (just.body as unknown as Problem).detail,
        (more.body as unknown as Problem).detail,
        name,
      );
    }
  });

  test('metadata: 20 pairs, 500 code points each, texts only, given back as they came', async () => {
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, fox.repeat(500)]));
    assert.deepEqual((await accepted({ metadata: pairs(20) })).metadata, pairs(20));
    await refused({ metadata: pairs(21) }, 'metadata');
    await refused({ metadata: { note: fox.repeat(501) } }, 'metadata.note');
    for (const value of [7, true, null, {}, ['a']])
      await refused({ metadata: { note: value } }, 'metadata.note');
    for (const metadata of [null, [], 'note', 7]) await refused({ metadata }, 'metadata');
    const odd = {
      constructor: 'a',
      toString: 'b',
      hasOwnProperty: 'c',
      ' ': 'd',
      'ä.b[0]': '',
      '\u007f': '\n\t',
      '10': 'x',
      '2': 'y',
    };
    assert.deepEqual((await accepted({ metadata: odd })).metadata, odd);
    assert.deepEqual((await accepted({})).metadata, {});
  });

  test('styles: three, each known and 100 code points at most', async () => {
    const { body } = await pro.call<List<{ id: string; type: string }>>('GET', '/v1/styles');
    const styles = body.data.filter(({ type }) => type === 'image').map(({ id }) => id);
    await accepted({ styles: styles.slice(0, 3) });
    await accepted({ styles: [] });
    await refused({ styles: styles.slice(0, 4) }, 'styles');
    await refused({ styles: [styles[0], 'sty_none'] }, 'styles[1]');
    await refused({ styles: ['x'.repeat(101)] }, 'styles[0]');
    await refused({ styles: [7] }, 'styles[0]');
    await refused({ styles: styles[0] }, 'styles');
  });

  test('suggestions: ten, each known and 50 code points at most, one of a category', async () => {
    type Suggestion = { id: string; category_id: string };
    const { body } = await pro.call<List<Suggestion>>('GET', '/v1/suggestions?suite=image');
    const oneEach = [...new Map(body.data.map((one) => [one.category_id, one.id])).values()];
    await accepted({ suggestions: oneEach });
    const [first, second] = body.data.filter((one) => one.category_id === body.data[0]?.category_id);
    assert.equal((await both({ suggestions: [first?.id, second?.id] })).status, 400);
    await refused({ suggestions: Array.from({ length: 11 }, (_, i) => `sug_${i}`) }, 'suggestions');
    await refused({ suggestions: ['sug_none'] }, 'suggestions[0]');
    await refused({ suggestions: ['x'.repeat(51)] }, 'suggestions[0]');
  });

  test('the prompt is needed where the model says so', async () => {
    await refused({ prompt: undefined }, 'prompt');
    await refused({ prompt: '' }, 'prompt');
    await refused({ prompt: ' \n\t' }, 'prompt');
    await accepted({ model: 'prism-1', prompt: undefined });
    await accepted({ model: 'prism-1', prompt: '' });
  });

  test('without a model the default of the suite is taken, for what it costs', async () => {
    const { body } = await pro.call<List<{ id: string; default_for: string[] }>>('GET', '/v1/models');
    const standard = body.data.find((model) => model.default_for.includes('image'));
    const made = await accepted({ model: undefined });
    assert.deepEqual([made.model, made.cost], [standard?.id, { credits: 4 }]);
  });

  test('models, base models and aspect ratios must be offered', async () => {
    await refused({ model: 'none' }, 'model');
    await refused({ model: '' }, 'model');
    await refused({ model: 'Sketch-1' }, 'model');
    await refused({ base_model: 'soft' }, 'base_model');
    await refused({ model: 'character/figures', base_model: 'none' }, 'base_model');
    for (const base of ['soft', 'bold', undefined])
      await accepted({ model: 'character/figures', base_model: base });
    for (const ratio of ['1:1', '16:9', '9:16']) await accepted({ aspect_ratio: ratio });
    for (const ratio of ['4:3', '1:1 ', '1', '', 'constructor'])
      await refused({ aspect_ratio: ratio }, 'aspect_ratio');
  });

  test('cfg, weight and clip_skip stay within what the model lists', async () => {
    const atelier = { model: 'atelier-1' };
    for (const cfg of [1, 20, 7.5]) await accepted({ ...atelier, cfg });
    for (const cfg of [0.5, 20.5, -1, '7', null, true, [7]]) await refused({ ...atelier, cfg }, 'cfg');
    await refused({ cfg: 7 }, 'cfg');
    for (const weight of [0.3, 2, 0.7]) await accepted({ model: 'linework-1', weight });
    for (const weight of [0.2, 2.1, 1e308]) await refused({ model: 'linework-1', weight }, 'weight');
    await refused({ weight: 1 }, 'weight');
    for (const skip of [1, 4]) await accepted({ model: 'prism-1', clip_skip: skip });
    for (const skip of [0, 5, 1.5, '1']) await refused({ model: 'prism-1', clip_skip: skip }, 'clip_skip');
    await refused({ clip_skip: 1 }, 'clip_skip');
    await refused({ sampler: 'brush' }, 'sampler');
    await refused({ ...atelier, sampler: 'ddim' }, 'sampler');
  });

  test('options are of the model: known, of their type, in range', async () => {
    const options = (given: Fields, model = 'atelier-1') => ({ model, options: given });
    await accepted(options({ palette: 'vivid', grain: true, detail: 10, seed: 4_294_967_295 }));
    await accepted(options({ detail: 1, seed: -1, grain: false }));
    await accepted(options({}));
    for (const [key, values] of Object.entries({
      palette: ['Vivid', '', 7, true],
      grain: ['yes', 2],
      detail: [0, 11, 1.5, true],
      seed: [-2, 4_294_967_296, 0.5, 1e300],
      colour: ['red', 1],
      constructor: [1],
      steps: [1],
    }))
      for (const value of values) await refused(options({ [key]: value }), `options.${key}`);
    for (const value of [null, {}, []]) await refused(options({ seed: value }), 'options.seed');
    for (const value of [null, [], 'seed', 7]) await refused({ options: value }, 'options');
    await refused(options({ palette: 'vivid' }, 'sketch-1'), 'options.palette');
  });

  test("reference images are the account's own pictures or addresses, as many as the model takes", async () => {
    const [mine, theirs] = [await rendered(adult.call), await rendered((await world.person()).call)];
    const [own, foreign] = [mine.outputs[0]?.id, theirs.outputs[0]?.id];
    const atelier = (...references: unknown[]) => ({ model: 'atelier-1', reference_images: references });
    assert.equal((await both(atelier(own, own), adult)).status, 202);
    assertRefused(await both(atelier(own, own, own), adult), 'invalid_request', 'reference_images');
    const ask = async (id: unknown) => {
      const answer = await both(atelier(own, id), adult);
      assertRefused(answer, 'invalid_request', 'reference_images[1]');
      return (answer.body as unknown as Problem).detail.replace(String(id), '');
    };
    assert.equal(
      await ask(foreign),
      await ask('ast_01kaf3v5w8m2x9q4t7r6y1z0bc'),
      'a foreign id is an unknown one',
    );
    for (const id of [
      '',
      'x'.repeat(2_049),
      7,
      null,
      'http://example.org/a.png',
      'upl_01kaf3v5w8m2x9q4t7r6y1z0bc',
      'file:///etc/passwd',
      'https://127.0.0.1/a.png',
      fox.repeat(2_048),
    ])
      await ask(id);
    // A create would fetch the address; an estimate only validates its form.
    const imported = await estimate(adult.call, atelier(own, 'https://example.org/a.png'));
    assert.equal(imported.status, 200, imported.text);
    await refused({ reference_images: [own] }, 'reference_images');
    await refused({ reference_images: Array.from({ length: 11 }, () => own) }, 'reference_images');
    await accepted({ reference_images: [] });
  });

  test("a project must be the account's own", async () => {
    const [mine, theirs] = [
      await pro.call('POST', '/v1/projects', { body: { title: 'Mine' } }),
      await adult.call('POST', '/v1/projects', { body: { title: 'Theirs' } }),
    ];
    assert.equal((await accepted({ project_id: mine.body['id'] })).project_id, mine.body['id']);
    const ask = async (id: unknown) => {
      const answer = await both({ project_id: id });
      assertRefused(answer, 'invalid_request', 'project_id');
      return (answer.body as unknown as Problem).detail.replace(String(id), '');
    };
    assert.equal(await ask(theirs.body['id']), await ask('prj_01kaf3v5w8m2x9q4t7r6y1z0bc'));
    await ask('');
    await ask(null);
  });

  test('every field of a wrong type, and every field that is not known, is named at once', async () => {
    const strings = ['model', 'base_model', 'project_id', 'prompt', 'aspect_ratio', 'sampler'];
    for (const name of strings)
      for (const value of [7, null, {}, ['a'], true]) await refused({ [name]: value }, name);
    for (const name of [
      'seed',
      'Prompt',
      'n',
      'image',
      'mode',
      'strength',
      'mask',
      'duration',
      'idempotency_key',
    ])
      await refused({ [name]: 1 }, name);
    const answer = await both({
      prompt: 7,
      cfg: 'high',
      styles: 'noir',
      colour: 'red',
      metadata: { a: 1 },
      options: { b: [] },
    });
    assertRefused(answer, 'invalid_request', 'cfg', 'colour', 'metadata.a', 'options.b', 'prompt', 'styles');
  });

  test('what breaks several rules of the model is told at once as well', async () => {
    const answer = await both({
      aspect_ratio: '4:3',
      cfg: 3,
      options: { steps: 3 },
      styles: ['sty_none'],
      sampler: 'x',
    });
    assertRefused(answer, 'invalid_request', 'aspect_ratio', 'cfg', 'options.steps', 'sampler', 'styles[0]');
  });

  test('an estimate needs a kind that is there', async () => {
    for (const kind of [undefined, null, '', 'Image', 'audio', 7, 'constructor'])
      assertRefused(
        await pro.call('POST', '/v1/estimate', { body: { ...draft, kind } }),
        'invalid_request',
        'kind',
      );
    for (const kind of ['image_edit', 'video', 'video_extend'])
      assertRefused(await pro.call('POST', '/v1/estimate', { body: { ...draft, kind } }), 'invalid_request');
    assertRefused(await create(pro.call, { kind: 'image' }), 'invalid_request', 'kind');
  });
});
