import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { addLibraryItem, deleteAccount } from '@renderkit/studio/operator.ts';
import { type S3Counterpart, startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeImage, makeMedia } from './media-files.ts';

const owned = new AsyncDisposableStack();
let server: S3Counterpart;
let other: S3Counterpart;
let studio: TestStudio;
let redirecting: TestStudio;
let account: TestAccount;

before(async () => {
  server = owned.use(await startS3Counterpart());
  studio = owned.use(await startTestStudio({ config: { s3: server.config } }));
  other = owned.use(await startS3Counterpart());
  redirecting = owned.use(
    await startTestStudio({ worker: false, config: { s3: other.config, mediaDelivery: 'redirect' } }),
  );
  account = await studio.connect({ tier: 'pro' });
});
after(() => owned.disposeAsync());

const keys = () => [...server.objects.keys()].filter((key) => key.includes('/'));
const edit: Partial<RenderRequest> = {
  kind: 'image_edit',
  model: 'retouch-1',
  image: 'upl_source',
  mode: 'transform',
  strength: 0.5,
  reference_images: [],
  aspect_ratio: undefined as never,
};

test('an upload, an edit of it and a frame of a video go through the bucket, and away with their rows', async () => {
  const bytes = await makeImage({ format: 'jpeg' });
  await account.upload('upl_source', bytes);
  const upload = await account.checked('upl_source');
  assert.equal(upload.status, 'ready');
  assert.deepEqual(Buffer.from(await (await fetch(upload.url)).arrayBuffer()), bytes);
  assert.equal((await account.submit('edit', edit)).outcome, 'accepted');
  const { status, outputs } = await account.finished('edit');
  assert.equal(status, 'succeeded');
  const [output] = outputs;
  const part = await fetch(output?.url ?? '', { headers: { range: 'bytes=1-3' } });
  assert.deepEqual([part.status, await part.text()], [206, 'PNG']);
  assert.equal((await fetch(output?.thumb_url ?? '')).headers.get('content-type'), 'image/webp');

  await makeMedia(studio.dataDirectory, 'video.mp4');
  const video = await addLibraryItem(studio.database, {
    email: account.email,
    ...studio.mediaLocation,
    file: path.join(studio.dataDirectory, 'video.mp4'),
  });
  const frame = await account.call<StudioAnswer<'takeFrame'>>('POST', `/api/videos/${video.id}/frames`, {
    time: 0.1,
    project_id: null,
  });
  assert.equal(frame.status, 200, JSON.stringify(frame.body));

  const neighbour = await studio.connect({ tier: 'pro' });
  await neighbour.upload('upl_other', bytes);
  await neighbour.checked('upl_other');
  await deleteAccount(studio.database, account.email);
  await studio.clean();
  assert.equal(keys().length, 1, keys().join(' '));
});

for (const fault of ['unavailable', 'foreign_404', 'foreign_page'] as const)
  test(`while the bucket is away (${fault}) an upload is refused for now, and a render waits for it`, async () => {
    const waiting = await studio.connect({ tier: 'pro' });
    const isPut = ({ method }: { method: string }) => method === 'PUT';
    // One more than the number of tries of a request.
    const away = Array.from({ length: 5 }, () => fault);
    server.fail(away, isPut);
    const refused = await waiting.upload(`upl_${fault}`, await makeImage());
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
    assert.equal((await waiting.upload(`upl_${fault}`, await makeImage())).status, 200);
    server.fail(away, isPut);
    await waiting.submit(`later_${fault}`);
    const { status, outputs } = await waiting.finished(`later_${fault}`);
    assert.equal(status, 'succeeded');
    assert.equal((await fetch(outputs[0]?.url ?? '')).status, 200);
  });

test('a studio that redirects sends on to a link of the bucket, with the headers that it would have given', async () => {
  const visitor = await redirecting.connect();
  const bytes = await makeImage();
  const { body } = await visitor.upload('upl_sent', bytes, { file_name: 'sea.png' });
  assert.ok(body.outcome === 'stored');
  const answer = await fetch(body.upload.url, { redirect: 'manual' });
  assert.deepEqual([answer.status, answer.headers.get('cache-control')], [302, 'private, no-store']);
  const link = new URL(answer.headers.get('location') ?? '');
  assert.equal(link.origin, other.config.endpoint);
  assert.equal(link.searchParams.get('response-content-type'), 'image/png');
  assert.match(link.searchParams.get('response-content-disposition') ?? '', /^attachment; filename="upf_/);
  assert.deepEqual(Buffer.from(await (await fetch(link)).arrayBuffer()), bytes);
  const head = await fetch(body.upload.url, { method: 'HEAD', redirect: 'manual' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  assert.equal((await fetch(body.upload.url.replace('upf_', 'upf_0'), { redirect: 'manual' })).status, 404);
});

test('a studio without its bucket is ready for all that needs no media, and says so', async () => {
  const ready = async (of: TestStudio) => (await fetch(`${of.url}/readyz`)).json();
  assert.deepEqual(await ready(studio), { status: 'ready' });
  other.fail(Array.from({ length: 5 }, () => 'unavailable' as const));
  assert.deepEqual(await ready(redirecting), { status: 'degraded', missing: ['media'] });
});
