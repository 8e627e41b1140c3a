import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readBoxes } from './boxes.ts';
import { readerOf } from './byte-reader.ts';
import { followToEnd, openDriver, plainGraph, prepareJob, routeOver, signal } from './testing/drive.ts';

const url = process.env['COMFYUI_URL'] ?? '';
const skip = url === '' ? 'COMFYUI_URL names no ComfyUI' : false;

test('a real ComfyUI makes several images in one job', { skip }, async () => {
  await using driver = openDriver(url);
  const route = routeOver(plainGraph, { set: { 'n1.batch_size': { from: 'outputs' } } });
  assert.deepEqual(await driver.check(route, signal()), []);
  const job = await prepareJob(driver, route, {
    outputs: 3,
    values: [{ target: 'n1.batch_size', kind: 'plain', value: 3 }],
  });
  await using end = await followToEnd(driver, await driver.submit(job.prepared, job.id, signal()), job);
  assert.equal(end.paths.length, 3);
  for (const path of end.paths) assert.equal((await readFile(path)).readUInt32BE(16), 64);
});

test('a real ComfyUI makes a video, which is found by its name as well', { skip }, async () => {
  await using driver = openDriver(url);
  const graph = {
    '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 12, color: 65_280 } },
    '2': { class_type: 'CreateVideo', inputs: { images: ['1', 0], fps: 12 } },
    '9': {
      class_type: 'SaveVideo',
      inputs: { video: ['2', 0], filename_prefix: 'x', format: 'mp4', codec: 'h264' },
    },
  };
  const outputs = { kind: 'video', max_per_job: 1, from: ['n9'] } as const;
  const job = await prepareJob(driver, routeOver(graph, { outputs }));
  const handle = await driver.submit(job.prepared, job.id, signal());
  await using end = await followToEnd(driver, handle, job);
  const bytes = await readFile(end.paths[0] ?? '');
  const boxes = await readBoxes(readerOf(bytes), { start: 0, end: bytes.length });
  assert.ok(boxes.some(({ type }) => type === 'moov'));
  await fetch(`${url}/history`, { method: 'POST', body: JSON.stringify({ delete: [job.id] }) });
  assert.ok(typeof (await driver.find(job.prepared, job.id, new Date(), signal())) === 'object');
});

test('a real ComfyUI says what of a graph is wrong, and whose fault it is', { skip }, async () => {
  await using driver = openDriver(url);
  const route = routeOver(plainGraph, { set: { 'n1.width': { from: 'width' } } });
  const values = [{ target: 'n1.width', kind: 'plain' as const, value: 0 }];
  const job = await prepareJob(driver, route, { values });
  await assert.rejects(driver.submit(job.prepared, job.id, signal()), {
    blame: 'render',
    code: 'invalid_request',
    target: 'n1.width',
    sent: 'no',
  });
  const missing = { ...plainGraph, '1': { class_type: 'NoSuchNode', inputs: {} } };
  const [problem] = await driver.check(routeOver(missing), signal());
  assert.equal(problem?.code, 'node_missing');
});
