import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deflateSync, crc32 } from 'node:zlib';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import type { Part as RunningPart } from '@renderkit/server-kit/testing/part.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { type Part, postForm } from './post-form.ts';
import { askChild, startRealStudio } from './real-studio.ts';

const owned = new AsyncDisposableStack();
let files: FileServer;
let service: RunningPart;
let key: string;

before(async () => {
  const picture = png(256, 256, 90);
  files = owned.use(
    await startFileServer((request, response) => {
      if (request.url === '/text') response.writeHead(200).end('no picture');
      else response.writeHead(200).end(picture);
    }),
  );
  const studio = owned.use(await startRealStudio());
  owned.use(await studio.startWorker());
  service = owned.use(await studio.startService({ egressAllow: '127.0.0.0/8' }));
  ({ key } = await studio.newAccount('ada@example.com', '--tier', 'pro', '--credits', '1000'));
});
after(() => owned.disposeAsync());

/** Returns a complete PNG of one grey. */
function png(width: number, height: number, grey: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.alloc(width + 1, grey);
  row[0] = 0;
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const post = (...parts: Part[]) => postForm<Upload>(`${service.url}/v1/uploads`, key, parts);
const file = (value: Uint8Array, fileName = 'lake.png'): Part => ({ name: 'file', value, fileName });
const edit = (body: object) =>
  askChild<Generation>(service, '/v1/images/edits', { key, body: { prompt: 'in winter', ...body } });

async function settled<T extends { status: string }>(route: string): Promise<T> {
  const read = async () => (await askChild<T>(service, route, { key })).body;
  return until(`the end of ${route}`, read, {
    isSo: ({ status }) => !['processing', 'queued', 'running'].includes(status),
  });
}

test('a picture is checked, shown, and made into another', { timeout: 120_000 }, async () => {
  const bytes = png(320, 200, 120);
  const { status, text, body } = await post(file(bytes));
  assert.equal(status, 201, text);
  assert.deepEqual([body.type, body.content_type, body.width, body.height], ['image', 'image/png', 320, 200]);
  const edited = await edit({ image: body.id });
  assert.equal(edited.status, 202, edited.text);
  const ready = await settled<Upload>(`/v1/uploads/${body.id}`);
  assert.equal(ready.status, 'ready');
  const shown = await fetch(ready.url);
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), bytes);
  const done = await settled<Generation>(`/v1/generations/${edited.body.id}`);
  assert.equal(done.status, 'succeeded', JSON.stringify(done));
});

test('what the checks reject fails what waits for it', { timeout: 120_000 }, async () => {
  const { body } = await post(file(png(64, 64, 1), 'sandbox-rejected.png'));
  const edited = await edit({ image: body.id });
  const rejected = await settled<Upload>(`/v1/uploads/${body.id}`);
  assert.equal(rejected.status, 'rejected');
  assert.ok((rejected.error ?? '').length > 5);
  const waited =
    edited.status === 202 ? await settled<Generation>(`/v1/generations/${edited.body.id}`) : undefined;
  if (waited === undefined) assert.match(edited.text, /"code":"moderation_blocked"/, 'known at once');
  else assert.deepEqual([waited.status, waited.error?.code], ['failed', 'moderation_blocked']);
});

test('files that are none are refused at once', { timeout: 120_000 }, async () => {
  const whole = png(64, 64, 1);
  const cases: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    text: Buffer.from('just words, and a few more of them'),
    GIF: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
    SVG: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    truncated: whole.subarray(0, 40),
    'too many pixels': png(60_000, 1, 1),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    const { status, body, text } = await post(file(bytes, 'lake.png'));
    assert.equal(status, 400, `${name}: ${text}`);
    const { errors } = body as unknown as { errors: { field: string; message: string }[] };
    assert.deepEqual(
      errors.map(({ field }) => field),
      ['file'],
      name,
    );
  }
  const unknownProject = { name: 'project_id', value: 'prj_unknown' };
  for (const parts of [
    [unknownProject, file(whole)],
    [file(whole), unknownProject],
  ]) {
    const unknown = await post(...parts);
    assert.equal(unknown.status, 400, unknown.text);
    assert.match(unknown.text, /project_id/);
  }
});

test('what is too large is refused while it is still coming', { timeout: 120_000 }, async () => {
  const large = Buffer.concat([png(64, 64, 1), Buffer.alloc(80 * 1024 * 1024)]);
  const { status, text, headers } = await post(file(large));
  assert.equal(status, 400, text);
  assert.match(text, /file: is too large/);
  assert.equal(headers.get('connection'), 'close');
  assert.equal((await post(file(png(64, 64, 2)))).status, 201);
});

test('an address and a mask as text serve in one create', { timeout: 120_000 }, async () => {
  const mask = `data:image/png;base64,${png(256, 256, 255).toString('base64')}`;
  const { status, text, body } = await edit({ image: `${files.url}/lake.png`, mode: 'inpaint', mask });
  assert.equal(status, 202, text);
  const done = await settled<Generation>(`/v1/generations/${body.id}`);
  assert.equal(done.status, 'succeeded', JSON.stringify(done));
  const wrong = await settled<Generation>(
    `/v1/generations/${(await edit({ image: `${files.url}/text` })).body.id}`,
  );
  assert.deepEqual([wrong.status, wrong.error?.code], ['failed', 'unprocessable']);
});
