import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Fields, Problem } from './caller.ts';
import { assertShape } from './shape.ts';
import * as shapes from './shapes.ts';
import {
  assertRefused,
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
  prompt_required: boolean;
  parameters: {
    durations: { value: string }[];
    video_aspect_ratios: string[];
    max_reference_images: number;
    frames: { start: boolean; start_required: boolean; end: boolean; end_required: boolean };
    audio: { max_quantity: number } | null;
    source_video: object | null;
    options: { key: string; values?: { value: string }[]; default: string | number }[];
  };
};

describe('§4 videos, what goes on after them, and frames', () => {
  let world: World;
  let pro: Person;
  let models: Model[];
  let extend: Model;
  let picture: string;
  let video: Generation;

  before(async () => {
    world = await sharedWorld();
    pro = await world.person();
    const of = async (suite: string) =>
      (await pro.call<List<Model>>('GET', `/v1/models?suite=${suite}`)).body.data;
    models = await of('video');
    extend = (await of('extend')).find(({ default_for }) => default_for.includes('extend')) as Model;
    picture = (await rendered(pro.call)).outputs[0]?.id ?? '';
    const made = await create({ prompt: 'clouds over hills', duration: shortest(standard()) });
    assert.equal(made.status, 202, made.text);
    video = await finished(made.body.id);
  });

  /** A busy machine may take a few minutes for a video. */
  const finished = async (id: string) => {
    for (let left = 4; left > 0; left--) {
      const { body } = await pro.call<Generation>('GET', `/v1/generations/${id}?wait=60`);
      if (body.status === 'succeeded') return body;
      assert.ok(['queued', 'running'].includes(body.status), JSON.stringify(body));
    }
    throw new Error(`${id} is not ready after four minutes`);
  };
  const create = (body: Fields) => pro.call<Generation>('POST', '/v1/videos/generations', { body });
  const goOn = (body: Fields) => pro.call<Generation>('POST', '/v1/videos/extend', { body });
  const modelWhere = (fits: (model: Model) => boolean) => {
    const found = models.find(fits);
    assert.ok(found, 'the catalog has none of these');
    return found;
  };
  const standard = () => modelWhere(({ default_for }) => default_for.includes('video'));
  const shortest = ({ parameters: { durations } }: Model) =>
    Math.min(...durations.map(({ value }) => Number(value)));
  const clip = () => video.outputs[0] as Generation['outputs'][number] & { duration: number };

  /** Sends a body to the estimate of a kind: validated as for the create, but free. */
  const estimate = (kind: string, body: Fields) =>
    pro.call('POST', '/v1/estimate', { body: { kind, ...body } });
  const refused = async (fields: Fields, ...names: string[]) => {
    const body = { prompt: 'x', ...fields };
    const [made, quoted] = [await create(body), await estimate('video', body)];
    for (const reply of [made, quoted]) assertRefused(reply, 'invalid_request', ...names);
    assert.equal((made.body as unknown as Problem).detail, quoted.body['detail']);
  };
  const fine = async (fields: Fields) => {
    const reply = await estimate('video', { prompt: 'x', ...fields });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };

  test('a video has every field, and its output the length and the ratio that were asked for', async () => {
    assertShape(shapes.generation, video);
    assert.equal((video as unknown as Fields)['kind'], 'video');
    const { type, duration, width, height, id } = clip();
    assert.equal(type, 'video');
    assert.ok(Math.abs(duration - shortest(standard())) < 0.2, String(duration));
    const [w = 0, h = 1] = (standard().parameters.video_aspect_ratios[0] ?? '').split(':').map(Number);
    assert.ok(Math.abs(width / height - w / h) < 0.02);
    const { body } = await pro.call<List>('GET', '/v1/assets?type=video');
    assert.deepEqual(
      body.data.map((item) => [item['id'], item['type'], item['duration']]),
      [[id, 'video', duration]],
    );
    assertRefused(await pro.call('GET', `/v1/assets/images/${id}`), 'not_found');
    const file = await fetch(clip().url);
    assert.equal(file.headers.get('content-type'), 'video/mp4');
  });

  test('lengths are those of the model, as number and as text the same', async () => {
    const { id, parameters } = standard();
    for (const { value } of parameters.durations)
      assert.deepEqual(
        await fine({ model: id, duration: value }),
        await fine({ model: id, duration: Number(value) }),
      );
    assert.deepEqual(
      await fine({ model: id }),
      await fine({ model: id, duration: parameters.durations[0]?.value }),
    );
    for (const duration of [0, -1, 7.77, '7.77', '', 'long', 1e9]) await refused({ duration }, 'duration');
    await refused({ duration: 'x'.repeat(11) }, 'duration');
    await refused({ duration: [5] }, 'duration');
  });

  test('frames are taken where the model takes them, and required where it says so', async () => {
    const none = modelWhere(({ parameters: { frames } }) => !frames.start && !frames.end);
    await refused({ model: none.id, start_image: picture, end_image: picture }, 'start_image', 'end_image');
    const needy = modelWhere(({ parameters: { frames } }) => frames.start_required);
    await refused({ model: needy.id }, 'start_image');
    await fine({ model: needy.id, start_image: picture });
    const both = modelWhere(({ parameters: { frames } }) => frames.start && frames.end);
    await fine({ model: both.id, start_image: picture, end_image: picture });
    await refused({ model: both.id, start_image: 'ast_none' }, 'start_image');
    await refused(
      { model: both.id, start_image: clip().id, end_image: clip().id },
      'start_image',
      'end_image',
    );
  });

  test('audio and a source video are taken where the model takes them', async () => {
    const silent = modelWhere(({ parameters: { audio, source_video } }) => audio === null && !source_video);
    const more = silent.parameters.frames.start_required ? { start_image: picture } : {};
    await refused({ model: silent.id, ...more, reference_audios: ['a'] }, 'reference_audios');
    await refused({ model: silent.id, ...more, source_video: clip().id }, 'source_video');
    const loud = modelWhere(({ parameters: { audio } }) => audio !== null);
    await refused({ model: loud.id, reference_audios: [picture] }, 'reference_audios[0]');
    await refused({ model: loud.id, reference_audios: Array(6).fill('a') }, 'reference_audios');
    const redrawing = modelWhere(({ parameters: { source_video } }) => source_video !== null);
    await fine({ model: redrawing.id, source_video: clip().id });
    await refused({ model: redrawing.id, source_video: picture }, 'source_video');
  });

  test('ratios, references and all else are validated as for images', async () => {
    for (const aspect_ratio of standard().parameters.video_aspect_ratios) await fine({ aspect_ratio });
    await refused({ aspect_ratio: '7:3', styles: ['sty_none'] }, 'aspect_ratio', 'styles[0]');
    const many = Array(standard().parameters.max_reference_images + 1).fill(picture);
    await refused({ reference_images: many }, 'reference_images');
    await refused({ weight: 1, sampler: 'x', clip_skip: 1 }, 'weight', 'sampler', 'clip_skip');
    await refused({ model: 'sketch-1' }, 'model');
    await refused({ prompt: 'x'.repeat(4_097) }, 'prompt');
  });

  test('a video goes on: by the default model, for what its length and resolution cost', async () => {
    const resolution = extend.parameters.options.find(({ key }) => key === 'resolution');
    const credits = new Set<unknown>();
    for (const { value } of resolution?.values ?? []) {
      const reply = await estimate('video_extend', { video_id: clip().id, resolution: value });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual([reply.body['model'], reply.body['kind']], [extend.id, 'video_extend']);
      credits.add(reply.body['credits']);
    }
    assert.ok(credits.size > 1, 'a higher resolution costs more');
    const made = await goOn({ video_id: clip().id, prompt: 'the sun sets', duration: shortest(extend) });
    assert.equal(made.status, 202, made.text);
    assert.equal((await finished(made.body.id)).outputs[0]?.type, 'video');
  });

  test('what goes on is a video of the library, of the account, and the fields are few', async () => {
    const wrong: [Fields, ...string[]][] = [
      [{}, 'video_id'],
      [{ video_id: '' }, 'video_id'],
      [{ video_id: 'ast_none' }, 'video_id'],
      [{ video_id: picture }, 'video_id'],
      [{ video_id: 'upl_none' }, 'video_id'],
      [{ video_id: 'https://example.com/a.mp4' }, 'video_id'],
      [{ video_id: 'x'.repeat(101) }, 'video_id'],
      [{ video_id: clip().id, resolution: '9000p' }, 'resolution'],
      [{ video_id: clip().id, resolution: 'x'.repeat(21) }, 'resolution'],
      [{ video_id: clip().id, duration: 99 }, 'duration'],
      [{ video_id: clip().id, prompt: 'x'.repeat(2_049) }, 'prompt'],
      [{ video_id: clip().id, model: 'onward-1', options: {} }, 'model', 'options'],
    ];
    for (const [body, ...names] of wrong) {
      assertRefused(await goOn(body), 'invalid_request', ...names);
      assertRefused(await estimate('video_extend', body), 'invalid_request', ...names);
    }
    const stranger = await world.person();
    const theirs = await stranger.call('POST', '/v1/videos/extend', { body: { video_id: clip().id } });
    assertRefused(theirs, 'invalid_request', 'video_id');
  });

  test('a frame is free, the same for the same moment, and the last one for every later', async () => {
    const frameUrl = async (body: Fields) => {
      const reply = await pro.call('POST', `/v1/videos/${clip().id}/frames`, { body });
      assert.equal(reply.status, 200, reply.text);
      assertShape(shapes.frame, reply.body);
      return String(reply.body['url']);
    };
    const balance = async () => (await pro.call('GET', '/v1/account/balance')).body['balance'];
    const had = await balance();
    const first = await frameUrl({ time: 0 });
    assert.equal(await frameUrl({ time: 0 }), first);
    const last = await frameUrl({ time: 'last' });
    assert.equal(await frameUrl({ time: 1e9 }), last);
    assert.notEqual(first, last);
    const file = await fetch(first);
    assert.match(String(file.headers.get('content-type')), /^image\//);
    assert.equal(await balance(), had);
    for (const time of [-1, '0', 'first', null, [], undefined])
      assertRefused(
        await pro.call('POST', `/v1/videos/${clip().id}/frames`, { body: { time } }),
        'invalid_request',
        'time',
      );
  });

  test('a frame that is kept is an image of the library, and addressed as a frame', async () => {
    const project = String(
      (await pro.call('POST', '/v1/projects', { body: { title: 'Frames' } })).body['id'],
    );
    const path = `/v1/videos/${clip().id}/frames`;
    const taken = await pro.call('POST', path, { body: { time: 1, project_id: project } });
    assert.equal(taken.status, 200, taken.text);
    const { body } = await pro.call<List>('GET', `/v1/assets?project_id=${project}`);
    assert.deepEqual(
      body.data.map((item) => [item['type'], item['generation_type'], item['project_id']]),
      [['image', 'frame', project]],
    );
    const id = String(body.data[0]?.['id']);
    assert.equal((await pro.call('GET', `/v1/assets/images/${id}`)).status, 200);
    const marked = { body: { favorite: true } };
    assert.equal((await pro.call('PATCH', `/v1/assets/frame/${id}`, marked)).status, 200);
    assertRefused(await pro.call('PATCH', `/v1/assets/video/${id}`, marked), 'not_found');
    assert.equal((await pro.call('DELETE', `/v1/assets/frame/${id}`)).status, 200);
    assertRefused(await pro.call('GET', `/v1/assets/images/${id}`), 'not_found');
    const nowhere = await pro.call('POST', path, { body: { time: 1, project_id: 'prj_none' } });
    assertRefused(nowhere, 'invalid_request', 'project_id');
    for (const none of [picture, 'ast_none', 'x'.repeat(201)])
      assertRefused(await pro.call('POST', `/v1/videos/${none}/frames`, { body: { time: 0 } }), 'not_found');
  });
});
