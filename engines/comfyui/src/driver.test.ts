import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import {
  EngineFailure,
  type EngineFailureOptions,
  type PreparedMedia,
} from '@renderkit/engine-kit/driver.ts';
import { startComfyCounterpart } from './testing/comfy-counterpart.ts';
import {
  followToEnd,
  loadingGraph,
  openDriver,
  plainGraph,
  prepareJob,
  routeOver,
  signal,
} from './testing/drive.ts';
import { writePng } from './testing/write-png.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'renderkit-comfyui-media-'));
after(() => rm(folder, { recursive: true }));

/** Returns a file as the core passes it to an engine. */
async function mediaOf(bytes: Buffer): Promise<PreparedMedia> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = path.join(folder, `${sha256}.png`);
  await writeFile(file, bytes);
  return { path: file, sha256, contentType: 'image/png', sizeBytes: bytes.length };
}

/** Returns width and height of a PNG that is complete. */
async function sizeOf(file: string | undefined): Promise<string> {
  const bytes = await readFile(file ?? '');
  assert.equal(bytes.toString('latin1', bytes.length - 8, bytes.length - 4), 'IEND');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

async function failureOf(work: Promise<unknown>): Promise<EngineFailure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EngineFailure) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'It did not fail.' });
}

test('a job is sent once, tells how far it is, and its files come in order', async () => {
  await using comfy = await startComfyCounterpart({
    steps: { EmptyImage: 4 },
    previews: 'with_metadata',
    nodeMs: 30,
  });
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph), {
    outputs: 2,
    values: [
      { target: 'n1.batch_size', kind: 'plain', value: 2 },
      { target: 'n1.width', kind: 'plain', value: 96 },
    ],
  });
  const handle = await driver.submit(job.prepared, job.id, signal());
  await using end = await followToEnd(driver, handle, job);
  assert.deepEqual(await Promise.all(end.paths.map(sizeOf)), ['96x48', '96x48']);
  assert.deepEqual([comfy.executions, comfy.asked.submit], [1, 1]);
  assert.ok([...comfy.files.keys()].every((key) => key.startsWith(`output/rk/${job.id}/r_`)));
  const fractions = end.progress.map(({ fraction }) => fraction ?? 0);
  assert.deepEqual(
    fractions,
    fractions.toSorted((one, other) => one - other),
  );
  assert.equal(fractions.at(-1), 1);
  assert.ok(end.progress.some(({ steps }) => steps === 4));
  assert.equal(end.previews[0]?.contentType, 'image/png');
  assert.equal(end.previews[0]?.bytes.toString('latin1', 1, 4), 'PNG');
});

test('images that only the socket would bring are files, which are found after a crash as well', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const graph = {
    ...plainGraph,
    '9': { class_type: 'SaveImageWebsocket', inputs: { images: plainGraph['9'].inputs.images } },
  };
  const job = await prepareJob(driver, routeOver(graph));
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  assert.deepEqual(await Promise.all(end.paths.map(sizeOf)), ['64x48']);
  assert.ok([...comfy.files.keys()].every((key) => key.startsWith(`output/rk/${job.id}/r_`)));
});

test('previews without an owner are of the job that runs', async () => {
  await using comfy = await startComfyCounterpart({
    steps: { EmptyImage: 2 },
    previews: 'plain',
    nodeMs: 30,
  });
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  assert.ok(end.previews.length > 0);
});

test('a request for events names no origin, has the key, and is one for all jobs', async () => {
  await using comfy = await startComfyCounterpart({ nodeMs: 50 });
  await using driver = openDriver(comfy.url, { secret: 'a-secret-key' });
  const jobs = await Promise.all([1, 2, 3].map(() => prepareJob(driver, routeOver(plainGraph))));
  for (const job of jobs) {
    await using _end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  }
  assert.equal(comfy.handshakes.length, 1);
  assert.equal(comfy.handshakes[0]?.['origin'], undefined);
  assert.equal(comfy.handshakes[0]?.['authorization'], 'Bearer a-secret-key');
});

test('an upload is named by its content; where that name is taken, the name in the answer is used', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const route = routeOver(loadingGraph, { set: { 'n1.image': { from: 'image', picture: {} } } });
  const media = await mediaOf(writePng(40, 30, 0xff0000));
  const values = [{ target: 'n1.image', kind: 'media', media: [media], several: false }] as const;
  const before = await prepareJob(driver, route, { values: [...values] });
  const again = await prepareJob(driver, route, { values: [...values], id: before.id });
  assert.deepEqual(again.prepared, before.prepared);
  assert.deepEqual([...comfy.files.keys()], [`input/rk/${media.sha256}.png`]);
  // Half of an upload, left by a server that was killed.
  comfy.files.set(`input/rk/${media.sha256}.png`, Buffer.from('half'));
  const job = await prepareJob(driver, route, { values: [...values] });
  assert.ok(JSON.stringify(job.prepared).includes(`rk/${media.sha256} (1).png`));
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  assert.deepEqual(await Promise.all(end.paths.map(sizeOf)), ['40x30']);
});

test('the word of success may come before history has the job', async () => {
  await using comfy = await startComfyCounterpart({ historyLateMs: 300 });
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  assert.equal(end.paths.length, 1);
});

test('a graph that is cached whole has its files all the same', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  for (let round = 0; round < 2; round += 1) {
    await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
    assert.deepEqual(await Promise.all(end.paths.map(sizeOf)), ['64x48']);
  }
  assert.equal(comfy.files.size, 1);
});

test('a job whose answer was lost is found by its id, by any process, and made once', async () => {
  await using comfy = await startComfyCounterpart({ nodeMs: 30 });
  comfy.mishaps('submit', 'lost_answer');
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  const lost = await failureOf(driver.submit(job.prepared, job.id, signal()));
  assert.deepEqual([lost.blame, lost.sent], ['backend', 'unknown']);
  await using other = openDriver(comfy.url);
  const found = await other.find(job.prepared, job.id, new Date(), signal());
  assert.ok(typeof found === 'object');
  await using end = await followToEnd(other, found.handle, job);
  assert.equal(end.paths.length, 1);
  assert.deepEqual([comfy.executions, comfy.asked.submit], [1, 1]);
});

test('a job that never came is absent; a server that gives ids of its own cannot tell', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  assert.equal(await driver.find(job.prepared, job.id, new Date(), signal()), 'absent');
  comfy.script.version = '0.3.44';
  assert.equal(await driver.find(job.prepared, job.id, new Date(), signal()), 'unknown');
});

test('a server that gives ids of its own is followed by them', async () => {
  await using comfy = await startComfyCounterpart({ version: '0.3.30' }, { choosesIds: true });
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  assert.equal(end.paths.length, 1);
});

test('an id that a newer server has already is the job itself', async () => {
  await using comfy = await startComfyCounterpart({}, { isNewer: true });
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  await driver.submit(job.prepared, job.id, signal());
  const handle = await driver.submit(job.prepared, job.id, signal());
  await using end = await followToEnd(driver, handle, job);
  assert.deepEqual([end.paths.length, comfy.executions], [1, 1]);
});

test('a result is found by its name after ComfyUI was started anew', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const route = routeOver(plainGraph, { set: { 'n1.batch_size': { from: 'outputs' } } });
  const values = [{ target: 'n1.batch_size', kind: 'plain' as const, value: 3 }];
  const job = await prepareJob(driver, route, { outputs: 3, values });
  const handle = await driver.submit(job.prepared, job.id, signal());
  await using first = await followToEnd(driver, handle, job);
  assert.equal(first.paths.length, 3);
  comfy.restart();
  await using other = openDriver(comfy.url);
  assert.ok(typeof (await other.find(job.prepared, job.id, new Date(), signal())) === 'object');
  await using end = await followToEnd(other, handle, job);
  assert.deepEqual(await Promise.all(end.paths.map(sizeOf)), ['64x48', '64x48', '64x48']);
  assert.equal(comfy.executions, 1);
});

test('half a file is no result, nor is one of several', async () => {
  await using comfy = await startComfyCounterpart({ truncateTo: 100 });
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  await using _end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  comfy.restart();
  assert.equal(await driver.find(job.prepared, job.id, new Date(), signal()), 'absent');
  comfy.files.set(`output/rk/${job.id}/r_00001_.png`, writePng(8, 8, 0));
  assert.ok(typeof (await driver.find(job.prepared, job.id, new Date(), signal())) === 'object');
  const two = await prepareJob(driver, routeOver(plainGraph), { outputs: 2, id: job.id });
  assert.equal(await driver.find(two.prepared, job.id, new Date(), signal()), 'absent');
});

test('a job that a restart lost is told of as lost, and is the fault of the backend', async () => {
  await using comfy = await startComfyCounterpart();
  comfy.held = true;
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  const handle = await driver.submit(job.prepared, job.id, signal());
  const following = failureOf(followToEnd(driver, handle, job));
  comfy.restart();
  const lost = await following;
  assert.deepEqual([lost.blame, lost.code], ['backend', 'render_failed']);
  assert.match(lost.message, /knows nothing of a job that it took/);
  comfy.held = false;
});

test('a job outlives its connection for events', async () => {
  await using comfy = await startComfyCounterpart();
  comfy.held = true;
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  const following = followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  comfy.cutSockets();
  comfy.held = false;
  await using end = await following;
  assert.equal(end.paths.length, 1);
});

test('a file that breaks off is continued where it broke off', async () => {
  await using comfy = await startComfyCounterpart();
  comfy.mishaps('result', 'cut_off');
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  const [served] = comfy.files.values();
  assert.deepEqual(await readFile(end.paths[0] ?? ''), served);
});

test('a file that history names and that is gone is a useless result', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  const handle = await driver.submit(job.prepared, job.id, signal());
  await using _end = await followToEnd(driver, handle, job);
  comfy.files.clear();
  const failure = await failureOf(followToEnd(driver, handle, job));
  assert.deepEqual([failure.blame, failure.code, failure.badResult], ['backend', 'render_failed', true]);
});

test('outputs that were left out without a word are a refusal, and what is left of the job is ended', async () => {
  await using comfy = await startComfyCounterpart();
  comfy.held = true;
  await using driver = openDriver(comfy.url);
  const graph = {
    ...plainGraph,
    '10': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'x' } },
    '2': { class_type: 'EmptyImage', inputs: { width: 0, height: 48, batch_size: 1, color: 0 } },
  };
  const outputs = { kind: 'image', max_per_job: 4, from: ['n9', 'n10'] } as const;
  const blocking = await prepareJob(driver, routeOver(plainGraph));
  const other = await driver.submit(blocking.prepared, blocking.id, signal());
  const job = await prepareJob(driver, routeOver(graph, { outputs }));
  const refused = await failureOf(driver.submit(job.prepared, job.id, signal()));
  assert.deepEqual([refused.blame, refused.sent], ['pair', 'no']);
  comfy.held = false;
  await using end = await followToEnd(driver, other, blocking);
  assert.deepEqual([end.paths.length, comfy.executions], [1, 1]);
});

test('a refusal is the fault of the request, of the pair, or of the backend', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const refusal = async (
    route: Parameters<typeof prepareJob>[1],
    values: NonNullable<Parameters<typeof prepareJob>[2]>['values'] = [],
  ): Promise<Pick<EngineFailureOptions, 'blame' | 'code' | 'sent' | 'target'>> => {
    const job = await prepareJob(driver, route, { values });
    const { blame, code, sent, target } = await failureOf(driver.submit(job.prepared, job.id, signal()));
    return { blame, code, sent, ...(target !== undefined && { target }) };
  };
  const pair = { blame: 'pair', code: 'engine_unavailable', sent: 'no' } as const;
  const width = (from: 'width' | undefined) =>
    routeOver(plainGraph, { set: { 'n1.width': from === undefined ? { value: 0 } : { from } } });
  const zero = [{ target: 'n1.width', kind: 'plain' as const, value: 0 }];
  assert.deepEqual(await refusal(width('width'), zero), {
    blame: 'render',
    code: 'invalid_request',
    sent: 'no',
    target: 'n1.width',
  });
  assert.deepEqual(await refusal(width(undefined), zero), pair);
  const absent = { ...plainGraph, '1': { class_type: 'NoSuchNode', inputs: {} } };
  assert.deepEqual(await refusal(routeOver(absent)), pair);
  const loading = { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'gone.safetensors' } };
  const saving = { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } };
  assert.deepEqual(await refusal(routeOver({ '1': loading, '9': saving })), pair);
  const upload = routeOver(loadingGraph, { set: { 'n1.image': { from: 'image', picture: {} } } });
  const media = await mediaOf(writePng(16, 16, 1));
  const job = await prepareJob(driver, upload, {
    values: [{ target: 'n1.image', kind: 'media', media: [media], several: false }],
  });
  comfy.files.clear();
  assert.equal((await failureOf(driver.submit(job.prepared, job.id, signal()))).blame, 'backend');
  assert.equal(comfy.executions, 0);
});

test('a run that fails is the fault of whoever its words name', async () => {
  await using comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const cases = [
    ['torch.OutOfMemoryError', 'Allocation on device', 'pair', 'out_of_memory'],
    ['RuntimeError', 'CUDA error: device-side assert triggered', 'backend', 'render_failed'],
    ['FileNotFoundError', 'no such model', 'pair', 'render_failed'],
    ['ValueError', 'this text cannot be drawn', 'render', 'render_failed'],
  ] as const;
  for (const [type, message, blame, code] of cases) {
    comfy.script.failWith = { type, message };
    const job = await prepareJob(driver, routeOver(plainGraph));
    const failure = await failureOf(
      followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job),
    );
    assert.deepEqual([failure.blame, failure.code], [blame, code], type);
    assert.match(failure.message, /^EmptyImage 1 failed on gpu1: /);
  }
});

for (const [title, faults, version] of [
  ['by its id', {}, '0.3.64'],
  ['by the jobs of newer servers', { isNewer: true }, '0.5.0'],
] as const) {
  test(`only the job that is meant is ended, ${title}`, async () => {
    await using comfy = await startComfyCounterpart({ version, nodeMs: 200 }, faults);
    comfy.held = true;
    await using driver = openDriver(comfy.url);
    const [running, waiting, other] = [
      await prepareJob(driver, routeOver(plainGraph)),
      await prepareJob(driver, routeOver(plainGraph)),
      await prepareJob(driver, routeOver(plainGraph)),
    ];
    const [runs, waits, stays] = [
      await driver.submit(running.prepared, running.id, signal()),
      await driver.submit(waiting.prepared, waiting.id, signal()),
      await driver.submit(other.prepared, other.id, signal()),
    ];
    assert.equal(await driver.cancel(waits, signal()), 'canceled');
    comfy.held = false;
    assert.equal(await driver.cancel(runs, signal()), 'canceled');
    await using end = await followToEnd(driver, stays, other);
    assert.deepEqual([end.paths.length, comfy.executions], [1, 2]);
    assert.equal(await driver.cancel(stays, signal()), 'too_late');
    assert.equal((await failureOf(followToEnd(driver, runs, running))).blame, 'backend');
  });
}

test('a server that would interrupt whatever runs is not asked to', async () => {
  await using comfy = await startComfyCounterpart({ version: '0.3.50' });
  comfy.held = true;
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  const handle = await driver.submit(job.prepared, job.id, signal());
  assert.equal(await driver.cancel(handle, signal()), 'too_late');
  assert.equal(comfy.interrupts, 0);
  comfy.held = false;
  await using end = await followToEnd(driver, handle, job);
  assert.equal(end.paths.length, 1);
});

test('a key that is refused is told of without the key, and stays so', async () => {
  await using comfy = await startComfyCounterpart({}, { answersOnly: 401 });
  await using driver = openDriver(comfy.url, { secret: 'a-secret-key' });
  const failure = await failureOf(driver.probe(signal()));
  assert.deepEqual([failure.blame, failure.lasting], ['backend', true]);
  assert.ok(!failure.message.includes('a-secret-key'));
});

test('a server that cannot be reached had nothing, and one that is away for a while is asked again', async () => {
  const comfy = await startComfyCounterpart();
  await using driver = openDriver(comfy.url);
  const job = await prepareJob(driver, routeOver(plainGraph));
  const handle = await driver.submit(job.prepared, job.id, signal());
  comfy.faults.answersOnly = 502;
  const following = followToEnd(driver, handle, job);
  while (comfy.asked.look < 2) await new Promise((resolve) => setImmediate(resolve));
  comfy.faults.answersOnly = undefined;
  await using end = await following;
  assert.equal(end.paths.length, 1);
  await comfy[Symbol.asyncDispose]();
  assert.equal((await failureOf(driver.submit(job.prepared, job.id, signal()))).sent, 'no');
});

test('a model file is sent as the backend spells it', async () => {
  await using comfy = await startComfyCounterpart({ checkpoints: ['SDXL\\Base.safetensors'] });
  await using driver = openDriver(comfy.url);
  const loading = { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'base.safetensors' } };
  const saving = { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } };
  const job = await prepareJob(driver, routeOver({ '1': loading, '9': saving }));
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  assert.equal(end.paths.length, 1);
});

test('a route is held to what the backend has, and to what the route may set', async () => {
  await using comfy = await startComfyCounterpart({ checkpoints: ['a.safetensors', 'b.safetensors'] });
  await using driver = openDriver(comfy.url);
  const graph = {
    '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'saved.safetensors' } },
    '2': { class_type: 'ImageBlur', inputs: { image: ['1', 0], blur_radius: 99, sigma: 1 } },
    '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
  };
  const codes = async (set: Parameters<typeof routeOver>[1]): Promise<string[]> => {
    const problems = await driver.check(routeOver(graph, set), signal());
    return problems.map(({ code, node, input }) => `${code} ${node}.${input}`);
  };
  const mismatch = 'type_mismatch 9.images';
  // No result needs node 2, so its wrong value is not checked. A name for node 2 would be reported, so it is removed
  // here.
  const { n2: _left, ...nodes } = routeOver(graph).route.nodes ?? {};
  assert.deepEqual(await codes({ nodes }), ['file_missing 1.ckpt_name', mismatch]);
  const map = { one: 'a.safetensors', two: 'b.safetensors' };
  assert.deepEqual(await codes({ nodes, set: { 'n1.ckpt_name': { from: 'options.model', map } } }), [
    mismatch,
  ]);
  assert.deepEqual(
    await codes({
      nodes,
      set: { 'n1.ckpt_name': { from: 'options.model', map: { ...map, three: 'c.safetensors' } } },
    }),
    [mismatch, 'file_missing 1.ckpt_name'],
  );
});

test('what a backend has shows in its digest', async () => {
  await using comfy = await startComfyCounterpart();
  const digest = async (): Promise<string | null> => {
    await using driver = openDriver(comfy.url);
    return (await driver.probe(signal())).digest;
  };
  const before = await digest();
  assert.equal(await digest(), before);
  comfy.script.checkpoints = ['new.safetensors'];
  assert.notEqual(await digest(), before);
});

test('a handle says all that another process needs', async () => {
  await using comfy = await startComfyCounterpart({ nodeMs: 50 });
  const handle = await (async () => {
    await using first = openDriver(comfy.url);
    const job = await prepareJob(first, routeOver(plainGraph), { id: randomUUID() });
    return { job, text: JSON.stringify(await first.submit(job.prepared, job.id, signal())) };
  })();
  await using second = openDriver(comfy.url);
  await using end = await followToEnd(second, JSON.parse(handle.text), handle.job);
  assert.equal(end.paths.length, 1);
});

test('a route asks for a version, and an older machine does not fit', async () => {
  await using comfy = await startComfyCounterpart({ version: '0.3.64' });
  await using driver = openDriver(comfy.url);
  const codes = async (comfyui: string): Promise<string[]> => {
    const graph = {
      '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 0 } },
      '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
    };
    const problems = await driver.check(routeOver(graph, { requires: { comfyui } }), signal());
    return problems.map(({ code, message }) => `${code}: ${message}`);
  };
  assert.deepEqual([await codes('0.3.64'), await codes('>=0.3'), await codes('v0.2.99')], [[], [], []]);
  assert.match(String(await codes('>=0.3.65')), /^node_missing: .* is older than 0\.3\.65/);
  assert.match(String(await codes('1.0')), /^node_missing: .* is older than 1\.0\.0/);
  assert.match(String(await codes('the newest')), /^out_of_range: .*write the oldest version/);
});
