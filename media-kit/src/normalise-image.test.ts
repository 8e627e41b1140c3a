import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { UnreadableMedia } from './media-processes.ts';
import { normaliseImage, type RgbaImage } from './normalise-image.ts';
import { makeThumbnail } from './thumbnail.ts';

const never = new AbortController().signal;
let directory = '';
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-normalise-test-'));
});
after(async () => rm(directory, { recursive: true, force: true }));

const left = [190, 60, 50];
const right = [60, 140, 70];
/** Two colours side by side that CMYK can show too. */
const halves = () => {
  const pixels = Buffer.alloc(40 * 20 * 3);
  for (let index = 0; index < 40 * 20; index++) pixels.set(index % 40 < 20 ? left : right, index * 3);
  return sharp(pixels, { raw: { width: 40, height: 20, channels: 3 } });
};
/** Returns the distance of a pixel from a colour, in the channel that differs most. */
const distance = ({ width, bytes }: RgbaImage, x: number, y: number, colour: readonly number[]) =>
  Math.max(...colour.map((value, channel) => Math.abs(value - (bytes[(y * width + x) * 4 + channel] ?? 0))));
const keep = async (name: string, bytes: Buffer) => {
  const file = path.join(directory, name);
  await writeFile(file, bytes);
  return file;
};

test('whatever an image is inside, its pixels come upright, in sRGB, with 8 bits', async () => {
  const ways = {
    plain: await halves().png().toBuffer(),
    'sixteen bits': await halves().toColourspace('rgb16').png().toBuffer(),
    cmyk: await halves().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(),
    jpeg: await halves().jpeg({ quality: 100 }).toBuffer(),
    palette: await halves().png({ palette: true }).toBuffer(),
  };
  for (const [name, bytes] of Object.entries(ways)) {
    const image = await normaliseImage(await keep(name, bytes), never);
    assert.deepEqual([image.width, image.height, image.bytes.length], [40, 20, 40 * 20 * 4], name);
    const far = Math.max(distance(image, 5, 10, left), distance(image, 35, 10, right));
    assert.ok(far <= (name === 'cmyk' ? 30 : 4), `${name}: ${far}`);
    assert.equal(image.bytes[3], 255);
  }
  const turned = await keep('turned', await halves().withMetadata({ orientation: 6 }).jpeg().toBuffer());
  const upright = await normaliseImage(turned, never);
  assert.deepEqual([upright.width, upright.height], [20, 40]);
  assert.ok(distance(upright, 10, 5, left) < 15, 'what was left is above');
  const grey = await keep('grey', await halves().greyscale().png().toBuffer());
  assert.equal((await normaliseImage(grey, never)).bytes.length, 40 * 20 * 4);
});

test('a large one comes smaller where that is asked, and what is no image is refused', async () => {
  const file = await keep('large', await halves().resize(400, 200).png().toBuffer());
  const small = await normaliseImage(file, never, 5000);
  assert.deepEqual([small.width, small.height], [100, 50]);
  const thumbnail = await makeThumbnail(
    await keep('wide', await halves().resize(1200, 600).jpeg().toBuffer()),
    { type: 'image', durationSeconds: null },
    never,
  );
  assert.deepEqual([thumbnail.width, thumbnail.height], [512, 256]);
  const svg = await keep(
    'svg',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  );
  await assert.rejects(normaliseImage(svg, never), UnreadableMedia);
  const gif = await keep('gif', await halves().gif().toBuffer());
  await assert.rejects(normaliseImage(gif, never), UnreadableMedia, 'other formats are not even tried');
});
