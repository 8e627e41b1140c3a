import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exampleModel } from '@renderkit/contract/studio/examples/models.ts';
import type { ModelOption } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { assertProblem } from './assert-problem.ts';
import { type ConsoleBrowser, openBrowser } from './console-session.ts';
import { type Answer, startTestService, type TestService } from './harness.ts';

const seed: ModelOption = { key: 'seed', name: 'Seed', type: 'slider', min: -1, max: 9, default: -1 };

let service: TestService;
let key: string;
let browser: ConsoleBrowser;
before(async () => {
  service = await startTestService();
  const { catalog } = service.studio;
  const ratios = ['1:1', '16:9'].map((ratio) => ({ ratio, width: 64, height: 64 }));
  catalog.models.push(
    exampleModel({
      id: 'atelier-1',
      name: 'Atelier',
      default_for: [],
      parameters: { options: [seed], aspect_ratios: ratios },
    }),
  );
  catalog.suggestions.push({
    id: 'sug_light_dawn',
    name: 'Dawn',
    category: 'Light',
    category_id: 'light',
    suites: ['image'],
    media_seconds: 0,
  });
  key = await service.createKey();
  browser = await openBrowser(service);
});
after(() => service[Symbol.asyncDispose]());

const paths = {
  image: '/v1/images/generations',
  edit: '/v1/images/edits',
  video: '/v1/videos/generations',
  extend: '/v1/videos/extend',
  project: '/v1/projects',
};
const bodies = {
  image: { model: 'atelier-1', prompt: 'a lake' },
  edit: { image: 'lib_1', prompt: 'a lake' },
  video: { prompt: 'a lake' },
  extend: { video_id: 'lib_1' },
  project: {},
};
type Kind = keyof typeof paths;

/** Returns the messages about the fields, by their names. A key and a signed-in person must get the same messages. */
async function messagesOf(kind: Kind, body: object): Promise<Record<string, string>> {
  const sent = { ...bodies[kind], ...body };
  const answers: Answer<Problem>[] = [
    await service.refusal(paths[kind], { key, body: sent }),
    await browser.ask<Problem>(`/console/api${paths[kind]}`, { body: sent }),
  ];
  for (const answer of answers) assertProblem(answer, 'invalid_request', answer.text);
  const [one, two] = answers.map(({ body: { errors = [], detail } }) => {
    assert.equal(detail, errors.map(({ field, message }) => `${field}: ${message}`).join('; '));
    return Object.fromEntries(errors.map(({ field, message }) => [field, message]));
  });
  assert.deepEqual(one, two);
  return one ?? {};
}

const table: [kind: Kind, field: string, message: string][] = [
  ['image', 'n', 'there is no field n; the number of images is set by the model (batch_size)'],
  [
    'image',
    'numImages',
    'there is no field numImages; the number of images is set by the model (batch_size)',
  ],
  ['image', 'size', 'there is no field size; use aspect_ratio, of which the model atelier-1 has 1:1, 16:9'],
  ['image', 'width', 'there is no field width; use aspect_ratio, of which the model atelier-1 has 1:1, 16:9'],
  ['video', 'size', 'there is no field size; use aspect_ratio, of which the model reel has 16:9, 1:1'],
  ['image', 'seed', 'there is no field seed; send it as options.seed'],
  ['image', 'Seed', 'there is no field Seed; send it as options.seed'],
  ['edit', 'seed', 'there is no field seed; the model brush has none'],
  ['image', 'negative_prompt', 'there is no field negative_prompt; the model atelier-1 has none'],
  ['image', 'negativePrompt', 'there is no field negativePrompt; the model atelier-1 has none'],
  ['image', 'aspectRatio', 'there is no field aspectRatio; did you mean aspect_ratio?'],
  ['image', 'promt', 'there is no field promt; did you mean prompt?'],
  ['image', 'style', 'there is no field style; did you mean styles?'],
  ['image', 'imageUrl', 'there is no field imageUrl; use reference_images'],
  ['edit', 'imageUrl', 'there is no field imageUrl; use image'],
  ['video', 'image_url', 'there is no field image_url; use start_image'],
  ['image', 'guidance_scale', 'there is no field guidance_scale; use cfg'],
  ['image', 'webhook_url', 'there is no field webhook_url; webhooks are made in the console'],
  [
    'extend',
    'seed',
    'there is no field seed; those that there are: video_id, prompt, duration, resolution, project_id, styles, suggestions, metadata',
  ],
  ['extend', 'video', 'there is no field video; use video_id'],
  ['image', 'zzzzzz', 'there is no field zzzzzz'],
  ['project', 'name', 'there is no field name; use title'],
  ['project', 'colour', 'there is no field colour; the only one is title'],
];

for (const [kind, field, message] of table)
  test(`the field ${field} of a request for ${kind} is pointed to where it belongs`, async () => {
    assert.deepEqual(await messagesOf(kind, { [field]: 1 }), { [field]: message });
  });

test('an estimate is told the same as the create', async () => {
  const { body } = await service.refusal('/v1/estimate', {
    key,
    body: { kind: 'image', ...bodies.image, size: '1024x1024', seed: 5 },
  });
  assert.deepEqual(body.errors, [
    {
      field: 'size',
      message: 'there is no field size; use aspect_ratio, of which the model atelier-1 has 1:1, 16:9',
    },
    { field: 'seed', message: 'there is no field seed; send it as options.seed' },
  ]);
});

test('unknown models lead to the nearest that the plan lists and that serve, and to no others', async () => {
  const told = async (kind: Kind, model: string) => (await messagesOf(kind, { model }))['model'];
  assert.equal(await told('image', 'atelier'), 'there is no model atelier; the nearest is atelier-1');
  assert.equal(await told('image', 'Atelier'), 'there is no model Atelier; the nearest is atelier-1');
  assert.equal(await told('image', 'palin'), 'there is no model palin; the nearest is plain');
  // The plan does not include the model.
  assert.equal(
    await told('image', 'grandd'),
    'there is no model grandd; those that there are: plain, night/adult, atelier-1',
  );
  assert.equal(await told('video', 'atelier'), 'there is no model atelier; those that there are: reel');
  const { body } = await service.refusal('/v1/models/attelier-1', { key });
  assert.equal(body.detail, 'There is no model attelier-1; the nearest is atelier-1.');
});

test('unknown styles, suggestions, options and choices lead to those that there are', async () => {
  assert.deepEqual(
    await messagesOf('image', {
      styles: ['Ink', 'film', 'zz'],
      suggestions: ['dawn', 'x'],
      options: { sede: 1, grain: true },
      aspect_ratio: '9:16',
    }),
    {
      'styles[0]': 'there is no style Ink; the nearest is ink (Ink)',
      'styles[1]': 'is a style for videos',
      'styles[2]': 'there is no style zz; those that there are: ink (Ink)',
      'suggestions[0]': 'there is no suggestion dawn; the nearest is sug_light_dawn (Dawn)',
      'suggestions[1]': 'there is no suggestion x; those that there are: sug_light_dawn (Dawn)',
      'options.sede': 'there is no option sede; did you mean seed?',
      'options.grain': 'there is no option grain; the model atelier-1 has seed',
      aspect_ratio: 'must be one of 1:1, 16:9',
    },
  );
});

test('parameters of a query are pointed to the nearest, and to none where none is taken', async () => {
  const errorsOf = async (path: string) => (await service.refusal(path, { key })).body.errors;
  assert.deepEqual(await errorsOf('/v1/generations?statuss=queued&page=0&page=1'), [
    { field: 'page', message: 'appears more than once' },
    { field: 'statuss', message: 'there is no parameter statuss; did you mean status?' },
  ]);
  assert.deepEqual(await errorsOf('/v1/account?verbose=1'), [
    { field: 'verbose', message: 'there is no parameter verbose; none is taken here' },
  ]);
});

test('a field is told of once, whoever complains: query, body, catalog', async () => {
  const { body } = await service.refusal(`${paths.image}?n=1`, { key, body: { ...bodies.image, n: 2 } });
  assert.deepEqual(
    body.errors?.map(({ field }) => field),
    ['n'],
  );
  const long = 'x'.repeat(250);
  const many = await messagesOf('image', { [`${long}a`]: 1, [`${long}b`]: 2 });
  assert.equal(Object.keys(many).length, 1);
});

test('of names without end and fields without number a few are told of', async () => {
  const body = Object.fromEntries(
    Array.from({ length: 900 }, (_, i) => [`${i}${'aspect_ratio'.repeat(2)}`, 1]),
  );
  const answer = await service.refusal(paths.image, { key, body });
  assertProblem(answer, 'invalid_request', answer.text);
  assert.equal(answer.body.errors?.length, 50);
  const [name] = Object.keys(await messagesOf('image', { ['promt'.repeat(40_000)]: 1 }));
  assert.ok((name?.length ?? 0) <= 201);
});

test('a studio that is away leaves the message without what only its catalog knows', async () => {
  const accountId = await service.connectAccount();
  const own = await service.createKey({ accountId });
  service.studio.script('getCatalog', { status: 503, json: { code: 'overloaded', message: 'not now' } });
  const { body } = await service.refusal(paths.image, {
    key: own,
    body: { prompt: 'a lake', seed: 1, size: 2 },
  });
  assert.deepEqual(body.errors, [
    { field: 'seed', message: 'there is no field seed; a model that has it takes it as options.seed' },
    { field: 'size', message: 'there is no field size; use aspect_ratio' },
  ]);
});
