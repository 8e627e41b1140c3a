import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { addLibraryItem } from '@renderkit/studio/operator.ts';
import { request, startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

let studio: TestStudio;
let account: TestAccount;
/** Ids and tokens of the account's items. */
let imageId = '';
let videoId = '';
before(async () => {
  studio = await startTestStudio({ workers: 1 });
  account = await studio.connect({ tier: 'pro' });
  const add = async (name: string) =>
    (
      await addLibraryItem(studio.database, {
        email: account.email,
        ...studio.mediaLocation,
        file: path.join(studio.dataDirectory, name),
      })
    ).id;
  await writeFile(path.join(studio.dataDirectory, 'image.jpg'), await makeImage({ format: 'jpeg' }));
  imageId = await add('image.jpg');
  const longVideo = await makeMedia(studio.dataDirectory, 'video.mp4', { seconds: 61, rate: 1 });
  videoId = await add('video.mp4');
  await account.upload('upl_png', await makeImage({ width: 48, height: 32 }));
  await account.upload('upl_square', await makeImage({ width: 64, height: 64 }));
  await account.upload('upl_jpeg', await makeImage({ format: 'jpeg' }));
  await account.upload('upl_long', longVideo);
  await account.upload('upl_tiny', await makeMedia(studio.dataDirectory, 'tiny.mov', { size: '32x96' }));
  await account.upload('upl_audio', await makeMedia(studio.dataDirectory, 'bell.wav'));
  await account.upload('upl_hour', await makeMedia(studio.dataDirectory, 'hour.wav', { seconds: 90 }));
  await account.upload('upl_rejected', await makeImage(), { file_name: 'sandbox-rejected.png' });
  await account.checked('upl_rejected');
});
after(async () => studio[Symbol.asyncDispose]());

const bare = { reference_images: [], aspect_ratio: undefined } as unknown as Partial<RenderRequest>;
const edit = (more: Partial<RenderRequest>): Partial<RenderRequest> => ({
  ...bare,
  kind: 'image_edit',
  model: 'retouch-1',
  image: imageId,
  mode: 'transform',
  strength: 0.5,
  ...more,
});
const video = (model: string, more: Partial<RenderRequest>): Partial<RenderRequest> => ({
  ...bare,
  kind: 'video',
  model,
  aspect_ratio: '1:1',
  ...more,
});
const extension = (more: Partial<RenderRequest>): Partial<RenderRequest> => ({
  ...bare,
  kind: 'video_extend',
  model: 'onward-1',
  video_id: videoId,
  ...more,
});

test('whatever media a request names is looked up, and what the account lacks is named by its path', async () => {
  const stranger = await studio.connect({ tier: 'pro' });
  const cases: [Partial<RenderRequest>, string[]][] = [
    [edit({ reference_images: ['none', imageId], image: 'none' }), ['reference_images[0]', 'image']],
    [edit({ mode: 'inpaint', mask: 'none' }), ['mask']],
    [video('animate-1', { start_image: 'none', end_image: 'upl_none' }), ['start_image', 'end_image']],
    [
      video('score-1', { reference_audios: ['upl_audio', 'none'], duration_seconds: 5 }),
      ['reference_audios[1]'],
    ],
    [video('restyle-1', { source_video: 'none' }), ['source_video']],
    [extension({ video_id: 'none' }), ['video_id']],
    // An extension continues videos of the library, not uploads.
    [extension({ video_id: 'upl_long' }), ['video_id']],
    [extension({}), []],
    [edit({ image: 'upl_png' }), []],
  ];
  for (const [named, expected] of cases) {
    const { unknown_ids, quote } = await account.quote(named);
    assert.deepEqual(unknown_ids, expected, JSON.stringify(named));
    assert.equal(quote === null, expected.length > 0, JSON.stringify(named));
  }
  assert.deepEqual((await stranger.quote(edit({}))).unknown_ids, ['image']);
  assert.deepEqual((await stranger.quote(edit({ image: 'upl_png' }))).unknown_ids, ['image']);
});

test('what cannot serve where it is named is said of its field', async () => {
  const cases: [Partial<RenderRequest>, string, RegExp][] = [
    [edit({ image: videoId }), 'image', /must be an image/],
    [edit({ reference_images: ['upl_audio'] }), 'reference_images[0]', /must be an image/],
    [edit({ mode: 'inpaint', mask: 'upl_jpeg' }), 'mask', /must be a PNG/],
    [edit({ mode: 'inpaint', mask: 'upl_square' }), 'mask', /aspect ratio/],
    [video('animate-1', { start_image: 'upl_long' }), 'start_image', /must be an image/],
    [video('score-1', { reference_audios: ['upl_png'] }), 'reference_audios[0]', /must be an audio file/],
    [video('score-1', { reference_audios: ['upl_hour'] }), 'reference_audios[0]', /60 seconds long at most/],
    [video('restyle-1', { source_video: 'upl_png' }), 'source_video', /must be a video/],
    [video('restyle-1', { source_video: 'upl_long' }), 'source_video', /60 seconds long at most/],
    [video('restyle-1', { source_video: 'upl_tiny' }), 'source_video', /64 pixels wide at least/],
    [extension({ video_id: imageId }), 'video_id', /must be a video/],
  ];
  for (const [named, field, message] of cases) {
    const { invalid_fields, quote } = await account.quote(named);
    assert.deepEqual(
      invalid_fields?.map((fault) => fault.field),
      [field],
      JSON.stringify(named),
    );
    assert.match(invalid_fields?.[0]?.message ?? '', message);
    assert.equal(quote, null);
  }
  const right = edit({ mode: 'inpaint', mask: 'upl_png', inpaint_type: 'fill', mask_blur: 3 });
  const { invalid_fields, unknown_ids, refusal, quote } = await account.quote(right);
  assert.deepEqual(
    { invalid_fields, unknown_ids, refusal },
    { invalid_fields: [], unknown_ids: [], refusal: null },
  );
  assert.notEqual(quote, null);
});

test('uploads that are to come are taken on trust by the quote and looked at by the submit', async () => {
  const named = edit({ image: 'upl_later' });
  assert.deepEqual((await account.quote(named)).unknown_ids, ['image']);
  const { quote, unknown_ids } = await account.quote(named, true, ['upl_later']);
  assert.deepEqual(unknown_ids, []);
  const submit = async (token: string) =>
    (
      await account.call<{ outcome: string; refusal?: { code: string; field: string } }>(
        'PUT',
        `/api/renders/${token}`,
        { quote, request: request(named) },
      )
    ).body;
  const early = await submit('gen_early');
  assert.deepEqual(
    [early.outcome, early.refusal?.code, early.refusal?.field],
    ['refused', 'unprocessable', 'image'],
  );
  await account.upload('upl_later', await makeImage());
  await account.checked('upl_later');
  assert.equal((await submit('gen_in_time')).outcome, 'accepted');
  // An earlier answer stays valid.
  assert.equal((await submit('gen_early')).outcome, 'refused');
});

test('a submit waits for a file that is still looked at, and a rejected file is refused', async () => {
  await account.upload('upl_slow', await makeImage(), { file_name: 'sandbox-slow.png' });
  const waiting = await account.submit('gen_waits', edit({ image: 'upl_slow' }));
  assert.equal(waiting.outcome, 'busy');
  const { refusal, quote } = await account.quote(edit({ image: 'upl_rejected' }));
  assert.deepEqual([refusal?.code, refusal?.field, quote], ['moderation_blocked', 'image', null]);
  // An estimate is not moderated.
  assert.equal((await account.quote(edit({ image: 'upl_rejected' }), false)).refusal, null);
});

test('each kind has its price, its lane and its outputs', async () => {
  const cost = async (named: Partial<RenderRequest>) => {
    const { cost_millicredits, outputs, refusal } = await account.quote(named);
    assert.equal(refusal, null, JSON.stringify(named));
    return [cost_millicredits, outputs];
  };
  assert.deepEqual(await cost(edit({ reference_images: [imageId, 'upl_png'] })), [6_000, 1]);
  assert.deepEqual(await cost(edit({ model: 'engrave-1', aspect_ratio: '1:1' })), [6_000, 2]);
  assert.deepEqual(await cost(video('drift-1', { duration_seconds: 8 })), [21_000, 1]);
  assert.deepEqual(await cost(video('drift-1', {})), [15_000, 1]);
  assert.deepEqual(await cost(extension({ duration_seconds: 5, resolution: '720p' })), [23_000, 1]);
  assert.deepEqual(await cost(extension({ options: { resolution: '480p' } })), [14_000, 1]);
});

test('what a model does not go with is refused by its field', async () => {
  const cases: [Partial<RenderRequest>, string][] = [
    [{ model: 'linework-1', styles: ['sty_watercolour'] }, 'styles[0]'],
    [edit({ model: 'engrave-1', mode: 'inpaint', mask: 'upl_png' }), 'mode'],
    [edit({ mode: 'inpaint' }), 'mask'],
    [edit({ mask: 'upl_png' }), 'mask'],
    [edit({ mode: 'inpaint', mask: 'upl_png', mask_blur: 65 }), 'mask_blur'],
    [{ ...edit({}), image: undefined }, 'image'],
    [video('animate-1', {}), 'start_image'],
    [video('drift-1', { end_image: imageId }), 'end_image'],
    [video('drift-1', { duration_seconds: 7 }), 'duration'],
    [video('drift-1', { aspect_ratio: '4:3' }), 'aspect_ratio'],
    [video('drift-1', { reference_audios: ['upl_audio'] }), 'reference_audios'],
    [video('drift-1', { source_video: videoId }), 'source_video'],
    [extension({ resolution: '4k' }), 'resolution'],
    [{ ...extension({}), video_id: undefined }, 'video_id'],
  ];
  for (const [named, field] of cases) {
    const { refusal } = await account.quote(named);
    assert.deepEqual([refusal?.code, refusal?.field], ['unprocessable', field], JSON.stringify(named));
  }
});
