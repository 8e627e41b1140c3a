import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { save } from './node.ts';
import type { GenerationEvent } from './renderkit.ts';

test('a preview is saved from the event of a stream as well as by itself', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-save-'));
  const event: Extract<GenerationEvent, { type: 'preview' }> = {
    type: 'preview',
    preview: {
      object: 'preview',
      generation_id: 'gen_1',
      index: 0,
      revision: 5,
      url: '/v1/generations/gen_1/previews/0?r=5',
      width: 384,
      height: 384,
      content_type: 'image/jpeg',
      fetch: async () => new Response('bytes'),
    },
  };
  await save(event, path.join(folder, 'event.jpg'));
  await save(event.preview, path.join(folder, 'preview.jpg'));
  const files = (await readdir(folder)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  await rm(folder, { recursive: true });
  assert.deepEqual(
    [files, texts],
    [
      ['event.jpg', 'preview.jpg'],
      ['bytes', 'bytes'],
    ],
  );
});
