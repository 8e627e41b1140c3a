import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { checkDecoding } from '../src/check-decoding.ts';
import { fileLimits } from '../src/file-limits.ts';
import { type Inspected, inspectFile } from '../src/inspect-file.ts';
import { UnusableFile } from '../src/unusable-file.ts';
import { noise } from './media-corpus/make-media.ts';
import { notMedia } from './media-corpus/not-media.ts';
import type { OddFile } from './media-corpus/odd-file.ts';
import { jpegs, pngs } from './media-corpus/images.ts';
import { audios } from './media-corpus/audio.ts';
import { videos } from './media-corpus/videos.ts';

const never = new AbortController().signal;
/** Generous, because other tests run on the same machine. The test only needs to know that the check ends. */
const maxMs = 40_000;
const changesPerFile = 40;
const maxGrowthBytes = 300 * 1024 * 1024;

const nothingKnown = { contentType: '', width: null, height: null, durationSeconds: null, hasAudio: false };

let directory = '';
let asked = 0;
const canary = createServer((_, response) => {
  asked++;
  response.end();
});
const memoryAtFirst = process.memoryUsage.rss();
const orphans = async () => readdir(path.join(directory, 'temporary'));

await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/video.mp4`;
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-corpus-test-'));
  // With a separate directory, everything left behind is from this test: other tests use the common directory.
  process.env['TMPDIR'] = path.join(directory, 'temporary');
  await mkdir(path.join(directory, 'temporary'));
});
after(async () => {
  canary.close();
  await rm(directory, { recursive: true, force: true });
});

const groups = { 'no media': notMedia, PNG: pngs, JPEG: jpegs, videos: videos(address), audios };
for (const [group, files] of Object.entries(groups))
  describe(group, () => {
    for (const [index, file] of files.entries())
      test(file.name, async () => {
        // The file name has a wrong extension and does not describe the file.
        const filePath = path.join(directory, `${group.replace(' ', '-')}-${index}.png`);
        await writeFile(filePath, await file.bytes());
        const began = performance.now();
        const outcome = await check(filePath);
        assert.ok(performance.now() - began < maxMs, 'it took too long');
        compare(file, outcome);
      });
  });

test('a decoder that meets references to elsewhere all the same follows none', async () => {
  const inspected = { ...nothingKnown, type: 'video', extension: 'mp4' } as const;
  const playlist = Buffer.from(`#EXTM3U\n#EXTINF:1,\n${address}\n`);
  const elsewhere = videos(address).find((file) => file.name === 'media on another machine');
  for (const bytes of [playlist, await elsewhere?.bytes()]) {
    const filePath = path.join(directory, 'elsewhere.mp4');
    await writeFile(filePath, bytes ?? '');
    await checkDecoding(filePath, inspected, never).catch(onlyUnusable);
  }
  assert.equal(asked, 0);
});

test('bytes changed and cut at random are refused or taken, and nothing else', async () => {
  const good = Object.values(groups)
    .flat()
    .filter((file) => file.name.startsWith('a good'));
  assert.ok(good.length >= 7);
  for (const file of good) {
    const bytes = await file.bytes();
    for (let seed = 1; seed <= changesPerFile; seed++) {
      const filePath = path.join(directory, 'changed');
      await writeFile(filePath, change(bytes, seed));
      const began = performance.now();
      await inspectFile(filePath, fileLimits, never).catch((error: unknown) => {
        assert.ok(error instanceof UnusableFile, `${file.name}, seed ${seed}: ${String(error)}`);
      });
      assert.ok(performance.now() - began < maxMs, `${file.name}, seed ${seed} took too long`);
    }
  }
});

test('all of them left nothing behind', async () => {
  assert.ok(Object.values(groups).flat().length >= 100);
  assert.equal(asked, 0, 'another machine was asked for media');
  assert.deepEqual(await orphans(), []);
  assert.ok(process.memoryUsage.rss() - memoryAtFirst < maxGrowthBytes, 'the memory has grown');
});

type Outcome = { inspected?: Inspected; refused?: UnusableFile; undecodable?: UnusableFile };

async function check(filePath: string): Promise<Outcome> {
  const inspected = await inspectFile(filePath, fileLimits, never).catch(onlyUnusable);
  if (inspected instanceof UnusableFile) return { refused: inspected };
  const decoded = await checkDecoding(filePath, inspected, never).catch(onlyUnusable);
  return decoded === undefined ? { inspected } : { inspected, undecodable: decoded };
}

function onlyUnusable(error: unknown): UnusableFile {
  if (error instanceof UnusableFile) return error;
  throw error;
}

/** Changes up to eight bytes, more often in the first kilobyte than elsewhere; half of the copies are truncated. */
function change(bytes: Buffer, seed: number): Buffer {
  const copy = Buffer.from(bytes);
  const random = noise(64, seed);
  const range = seed % 3 === 0 ? copy.length : Math.min(copy.length, 1024);
  for (let index = 0; index < 1 + (seed % 8); index++)
    copy[random.readUInt32BE(index * 4) % range] = random[40 + index] ?? 0;
  return seed % 2 === 0 ? copy : copy.subarray(0, random.readUInt32BE(56) % copy.length);
}

function compare(file: OddFile, { inspected, refused, undecodable }: Outcome): void {
  const error = refused ?? undecodable;
  if (error !== undefined) assert.match(error.message, /^[A-Z].*[A-Za-z0-9]\.$/, 'a sentence for a person');
  if ('refused' in file) assert.equal(refused?.reason, file.refused, refused?.message ?? 'it was taken');
  else {
    assert.equal(refused, undefined, refused?.message);
    if ('undecodable' in file) assert.equal(undecodable?.reason, 'broken');
    else {
      assert.equal(undecodable, undefined, String(undecodable?.cause));
      assert.deepEqual(
        { ...inspected, ...rounded(inspected), ...file.is },
        { ...inspected, ...rounded(inspected) },
      );
    }
  }
}

/** Rounds to a tenth of a second, because the tables in a file are not more exact. */
function rounded(inspected: Inspected | undefined): Pick<Inspected, 'durationSeconds'> {
  const seconds = inspected?.durationSeconds ?? null;
  return { durationSeconds: seconds === null ? null : Math.round(seconds * 10) / 10 };
}
