import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startComfyCounterpart } from './comfy-counterpart.ts';
import { writePng } from './write-png.ts';

const folder = path.join(process.env['RECORDED_ANSWERS'] ?? '', 'comfyui');
const isThere = process.env['RECORDED_ANSWERS'] !== undefined && existsSync(folder);
const skip = isThere ? false : 'RECORDED_ANSWERS names no answers of a real ComfyUI';

interface Recorded {
  readonly status: number;
  readonly json?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

function recorded(name: string): Recorded {
  return JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Recorded;
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-/;

/** Returns the keys and types of JSON. Ids as keys are replaced, and a list is reduced to the shapes of its items. */
function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  if (Array.isArray(value)) return [...new Set(value.map((one) => JSON.stringify(shapeOf(one))))].toSorted();
  const entries = Object.entries(value).map(
    ([key, one]) => [uuid.test(key) ? '<id>' : key, shapeOf(one)] as const,
  );
  return Object.fromEntries(entries.toSorted(([one], [other]) => one.localeCompare(other)));
}

/** Removes the parts about the sent graph, because they depend on the client. */
function withoutGraph(entry: unknown): unknown {
  return JSON.parse(
    JSON.stringify(entry, (key, value: unknown) =>
      key === 'prompt' || key === 'input_config' ? '…' : value,
    ),
  );
}

const save = { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'rk/one' } };
const empty = { class_type: 'EmptyImage', inputs: { width: 64, height: 48, batch_size: 2, color: 1 } };

async function post(url: string, body: unknown): Promise<{ status: number; json: unknown }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${url}/prompt`, { method: 'POST', body: text });
  return { status: answer.status, json: await answer.json().catch(() => null) };
}

test('the counterpart refuses graphs in the words of a real ComfyUI', { skip }, async () => {
  await using comfy = await startComfyCounterpart();
  const cases: [name: string, body: unknown][] = [
    ['err_no_prompt', { hello: 1 }],
    ['err_not_json', '{'],
    ['err_ui_workflow_sent', { prompt: { nodes: [], links: [] } }],
    ['err_unknown_node.prompt', { prompt: { 1: { class_type: 'NoSuchNode', inputs: {} } } }],
    ['err_no_outputs.prompt', { prompt: { 1: empty } }],
    [
      'err_missing_input.prompt',
      { prompt: { 1: { ...empty, inputs: { width: 8, height: 8, color: 0 } }, 2: save } },
    ],
    [
      'err_image_not_uploaded.prompt',
      { prompt: { 1: { class_type: 'LoadImage', inputs: { image: 'nope.png' } }, 2: save } },
    ],
    [
      'err_out_of_range_and_bad_enum.prompt',
      {
        prompt: {
          1: { ...empty, inputs: { width: 0, height: 99_999, batch_size: 1, color: 'red' } },
          2: {
            class_type: 'ImageScale',
            inputs: { image: ['1', 0], upscale_method: 'magic', width: 8, height: 8, crop: 'disabled' },
          },
          3: { ...save, inputs: { images: ['2', 0], filename_prefix: 'x' } },
        },
      },
    ],
    [
      'partly_valid_two_outputs.prompt',
      { prompt: { 1: empty, 2: save, 3: { class_type: 'SaveImage', inputs: { filename_prefix: 'bad' } } } },
    ],
    ['wf1_own_prompt_id.prompt', { prompt_id: crypto.randomUUID(), prompt: { 1: empty, 9: save } }],
  ];
  for (const [name, body] of cases) {
    const { status, json } = await post(comfy.url, body);
    const real = recorded(name);
    assert.equal(status, real.status, name);
    assert.deepEqual(shapeOf(withoutGraph(json)), shapeOf(withoutGraph(real.json ?? null)), name);
    const typeOf = (answer: unknown) =>
      (answer as { error?: { type?: string } } | null | undefined)?.error?.type;
    assert.equal(typeOf(json), typeOf(real.json), name);
  }
});

test('the counterpart tells of a job as a real ComfyUI does', { skip }, async () => {
  await using comfy = await startComfyCounterpart();
  const id = crypto.randomUUID();
  const events: { type: string; data: unknown }[] = [];
  const socket = new WebSocket(`${comfy.url.replace('http', 'ws')}/ws?clientId=me`);
  const isOver = new Promise<void>((resolve) =>
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      const event = JSON.parse(String(data)) as { type: string; data: { node?: unknown } };
      events.push(event);
      if (event.type === 'executing' && event.data.node === null) resolve();
    }),
  );
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  await post(comfy.url, { prompt_id: id, client_id: 'me', prompt: { 1: empty, 9: save } });
  await isOver;
  socket.close();
  const real = JSON.parse(
    readFileSync(path.join(folder, 'wf1_own_prompt_id.ws.json'), 'utf8'),
  ) as typeof events;
  // Compares each kind of event with the shapes that the real server sent.
  const shapes = (list: typeof events, type: string) =>
    new Set(
      list
        .filter((one) => one.type === type)
        .map(({ data }) => JSON.stringify(shapeOf(data)).replaceAll(/"\d+":/g, '"<node>":')),
    );
  for (const type of ['execution_start', 'execution_cached', 'executing', 'executed', 'execution_success']) {
    const known = shapes(real, type);
    const own = shapes(events, type);
    assert.ok(own.size > 0 && [...own].every((shape) => known.has(shape)), `${type}: ${[...own].join(' ')}`);
  }
  const history = (await (await fetch(`${comfy.url}/history/${id}`)).json()) as object;
  const realHistory = recorded('wf1_own_prompt_id.history').json as object;
  assert.deepEqual(shapeOf(withoutGraph(history)), shapeOf(withoutGraph(realHistory)));
});

test('the counterpart answers questions in the shapes of a real ComfyUI', { skip }, async () => {
  await using comfy = await startComfyCounterpart();
  comfy.files.set('output/rk/one_00001_.png', writePng(8, 8, 0));
  const cases: [name: string, to: string][] = [
    ['queue_empty', '/queue'],
    ['prompt_get', '/prompt'],
    ['features', '/features'],
    ['system_stats', '/system_stats'],
    ['api_prefixed_system_stats', '/api/system_stats'],
    ['history_unknown', `/history/${crypto.randomUUID()}`],
    ['object_info_nosuch', '/object_info/NoSuchNode'],
    ['models_nosuch', '/models/nosuch'],
    ['jobs_newer_only', '/api/jobs'],
    ['view_missing', '/view?filename=nope.png'],
    ['view_traversal', '/view?filename=../x.png'],
  ];
  for (const [name, to] of cases) {
    const answer = await fetch(comfy.url + to);
    const real = recorded(name);
    assert.equal(answer.status, real.status, name);
    if (real.json === undefined) continue;
    // The recorded machine had no graphics card, so there was no index.
    const text = (await answer.text()).replace('"index":0', '"index":null');
    assert.deepEqual(shapeOf(JSON.parse(text)), shapeOf(real.json), name);
  }
  const view = `${comfy.url}/view?filename=one_00001_.png&subfolder=rk&type=output`;
  const part = await fetch(view, { headers: { range: 'bytes=0-9' } });
  const real = recorded('wf1_view_range');
  assert.equal(part.status, real.status);
  for (const header of ['accept-ranges', 'content-disposition', 'content-length', 'content-type'])
    assert.equal(part.headers.get(header), real.headers[header], header);
  assert.match(part.headers.get('content-range') ?? '', /^bytes 0-9\/\d+$/);
});

test('the counterpart takes uploads as a real ComfyUI does', { skip }, async () => {
  await using comfy = await startComfyCounterpart();
  const upload = async (bytes: Buffer, fields: Record<string, string> = {}, name = 'rk-in.png') => {
    const form = new FormData();
    for (const [key, value] of Object.entries({ type: 'input', subfolder: 'rk', ...fields }))
      form.append(key, value);
    form.append('image', new Blob([new Uint8Array(bytes)]), name);
    const answer = await fetch(`${comfy.url}/upload/image`, { method: 'POST', body: form });
    return { status: answer.status, json: answer.status === 200 ? await answer.json() : undefined };
  };
  const [one, other] = [writePng(8, 8, 1), writePng(8, 8, 2)];
  const expected = (name: string) => ({ status: recorded(name).status, json: recorded(name).json });
  assert.deepEqual(await upload(one), expected('upload_image'));
  assert.deepEqual(await upload(one), expected('upload_same_again'));
  assert.deepEqual(await upload(other), expected('upload_other_same_name'));
  assert.deepEqual(await upload(other, { overwrite: 'true' }), expected('upload_overwrite'));
  assert.equal((await upload(one, { subfolder: '../..' })).status, recorded('upload_traversal').status);
});
