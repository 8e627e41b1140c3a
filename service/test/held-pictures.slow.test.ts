// Tests how much memory a waiting request keeps of the pictures that it contained.

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { MemoryInUse } from './loop-delay-entry.ts';
import { scriptRenders } from './scripted-renders.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const megabyte = 2 ** 20;
/** Characters of base64 on the heap. The bytes outside of the heap are three quarters of that. */
const pictureCharacters = 8 * megabyte;
/** Far less than one picture takes in either form. */
const maxKeptBytes = 3 * megabyte;
const looks = 30;

/** The path, and the texts before and after the data URL. */
const doors: [path: string, before: string, after: string][] = [
  ['/openai/v1/images/edits', '{"prompt":"a boat","image":"', '"}'],
  [
    '/openai/v1/chat/completions',
    '{"model":"gpt-image-1","messages":[{"role":"user","content":[{"type":"text","text":"a boat"},{"type":"image_url","image_url":{"url":"',
    '"}}]}]}',
  ],
  ['/sdapi/v1/img2img', '{"prompt":"a boat","init_images":["', '"]}'],
];

for (const [path, before, after] of doors)
  test(`${path}: nothing of a picture is kept while its edit is waited for`, async () => {
    await using service = await startServiceProcess('loop-delay-entry.ts');
    const none = { limit: 0, running: 0, running_elsewhere: 0 };
    scriptRenders(service.studio).limits = { overall: none, image: none, edit: none, video: none };
    const hold = async (characters: number, held: number) => {
      const client = ask(service, path, [before, 'data:image/png;base64,', ...pieces(characters), after]);
      client.on('error', () => undefined);
      let status: number | undefined;
      client.on('response', (answer) => (status = answer.statusCode));
      while ((await countGenerations(service)) < held) {
        assert.equal(status, undefined, 'it is held and not refused');
        await turn();
      }
      return { [Symbol.dispose]: () => void client.destroy() };
    };
    using _small = await hold(64 * 1024, 1);
    const first = await memoryOf(service.child);
    using _large = await hold(pictureCharacters, 2);
    let kept = Infinity;
    // What was sent to the studio is freed a few turns after its answer.
    for (let look = 0; look < looks && kept > maxKeptBytes; look += 1)
      kept = (await memoryOf(service.child)) - first;
    assert.ok(kept <= maxKeptBytes, `${kept} bytes are kept`);
  });

function* pieces(characters: number): Generator<string, void> {
  const piece = 'abcd'.repeat(16 * 1024);
  for (let left = characters; left > 0; left -= piece.length) yield piece;
}

function ask({ url, key }: ServiceProcess, path: string, body: Iterable<string>) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return Readable.from(body).pipe(request(url + path, { method: 'POST', headers }));
}

async function countGenerations({ url, key }: ServiceProcess): Promise<number> {
  const answer = await fetch(`${url}/v1/generations`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: unknown[] }).data.length;
}

async function memoryOf(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message') as Promise<[MemoryInUse]>;
  child.send('memory');
  const [{ bytes }] = await answered;
  return bytes;
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
