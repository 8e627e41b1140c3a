import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { runMediaJob, UnreadableMedia } from './media-processes.ts';
import { MediaToolError, type MediaToolErrorKind } from './media-tool-error.ts';

const never = new AbortController().signal;
const generous = { signal: never, timeoutMs: 60_000, maxMemoryBytes: 900 * 1024 * 1024 };
let directory = '';
let large = '';
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-processes-test-'));
  large = path.join(directory, 'large.png');
  await sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#fa0' } })
    .png()
    .toFile(large);
});
after(async () => rm(directory, { recursive: true, force: true }));

const decode = async (more: Partial<typeof generous> = {}) =>
  runMediaJob('decodeImage', { path: large }, { ...generous, ...more });
const kindIs = (kind: MediaToolErrorKind) => (error: unknown) =>
  error instanceof MediaToolError && error.kind === kind;

test('what goes beyond a limit is ended and named, and the next job is none the worse', async () => {
  await assert.rejects(decode({ timeoutMs: 30 }), kindIs('timeout'));
  await assert.rejects(decode({ maxMemoryBytes: 20_000_000 }), kindIs('out_of_memory'));
  await assert.rejects(decode({ signal: AbortSignal.timeout(30) }), kindIs('aborted'));
  await assert.rejects(decode({ signal: AbortSignal.abort() }), kindIs('aborted'));
  await assert.rejects(runMediaJob('decodeImage', { path: directory }, generous), UnreadableMedia);
  assert.deepEqual(await decode(), { width: 16, height: 16 });
});

test('more jobs than processes wait for each other, and one that is aborted meanwhile does not begin', async () => {
  const stop = new AbortController();
  const jobs = [decode(), decode(), decode(), decode({ signal: stop.signal })];
  stop.abort();
  const outcomes = await Promise.allSettled(jobs);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
});
