import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import sharp from 'sharp';
import { startTestStudio, type TestStudio } from './harness.ts';
import { makeImage } from './media-files.ts';

const folder = 'a1B2'.repeat(8);
let studio: TestStudio;
let link: string;

before(async () => {
  studio = await startTestStudio({ worker: false });
  await using storage = await openStorage(studio.mediaLocation);
  await storage.put(`${folder}/ast_1.png`, [Buffer.from('0123456789')]);
  await storage.put(`${folder}/ast_1.html`, [Buffer.from('<script>')]);
  link = `${studio.url}/media/${folder}/ast_1.png`;
});
after(async () => studio[Symbol.asyncDispose]());

const get = (headers: Record<string, string>, method = 'GET') => fetch(link, { method, headers });

test('a file is served for good, whole, in part, and not again to who has it', async () => {
  const whole = await get({});
  assert.equal(await whole.text(), '0123456789');
  assert.match(whole.headers.get('cache-control') ?? '', /immutable/);
  assert.equal(whole.headers.get('content-length'), '10');
  assert.match(whole.headers.get('content-disposition') ?? '', /ast_1\.png/);
  const etag = whole.headers.get('etag') ?? '';
  const known = await get({ 'if-none-match': etag });
  assert.deepEqual([known.status, await known.text()], [304, '']);
  const part = await get({ range: 'bytes=-3' });
  assert.deepEqual(
    [part.status, part.headers.get('content-range'), await part.text()],
    [206, 'bytes 7-9/10', '789'],
  );
  assert.equal(await (await get({ range: 'bytes=2-3', 'if-range': etag })).text(), '23');
  assert.equal((await get({ range: 'bytes=2-3', 'if-range': '"other"' })).status, 200);
  const beyond = await get({ range: 'bytes=10-' });
  assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */10']);
  const head = await get({}, 'HEAD');
  assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '10', '']);
});

test('a file is shown, or saved where the link says so', async () => {
  const disposition = async (query: string) =>
    (await fetch(`${link}${query}`)).headers.get('content-disposition');
  assert.equal(await disposition(''), 'inline; filename="ast_1.png"');
  assert.equal(await disposition('?download=1'), 'attachment; filename="ast_1.png"');
});

test('nothing but media is served, and nothing from elsewhere', async () => {
  await writeFile(path.join(studio.dataDirectory, 'secret.png'), 'secret');
  for (const way of [
    `${folder}/ast_1.html`,
    `${folder}/ast_2.png`,
    `${folder}/..%2f..%2f..%2fsecret.png`,
    `..%2f../secret.png`,
    `${'%2e%2e%2f'.repeat(3)}/secret.png`,
    `${folder}/`,
    folder,
    '',
  ]) {
    const response = await fetch(`${studio.url}/media/${way}`);
    assert.ok([404, 400].includes(response.status), `${way} ${response.status}`);
    assert.ok(!(await response.text()).includes('secret"'), way);
  }
});

test('a picture is also had as a small JPEG, within bounds, and nothing else is', async () => {
  await using storage = await openStorage(studio.mediaLocation);
  await storage.put(`${folder}/ast_2.png`, [await makeImage({ width: 900, height: 300 })]);
  await storage.put(`${folder}/ast_2.mp4`, [Buffer.from('no picture')]);
  const small = (name: string, query: string, headers: Record<string, string> = {}) =>
    fetch(`${studio.url}/media/${folder}/${name}?${query}`, { headers });
  const answers = await Promise.all([1, 2].map(() => small('ast_2.png', 'format=jpeg&max_side=300')));
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg']);
    const { format, width, height } = await sharp(await answer.bytes()).metadata();
    assert.deepEqual([format, width, height], ['jpeg', 300, 100]);
  }
  const etag = answers[0]?.headers.get('etag') ?? '';
  assert.equal((await small('ast_2.png', 'format=jpeg&max_side=300', { 'if-none-match': etag })).status, 304);
  assert.equal((await small('ast_2.png', 'format=jpeg&max_side=200', { 'if-none-match': etag })).status, 200);
  assert.equal((await small('ast_3.png', 'format=jpeg')).status, 404);
  for (const [name, query] of [
    ['ast_2.png', 'format=webp'],
    ['ast_2.png', 'max_side=300'],
    ['ast_2.png', 'format=jpeg&max_side=63'],
    ['ast_2.png', 'format=jpeg&max_side=1025'],
    ['ast_2.png', 'format=jpeg&max_side=-1e3'],
    ['ast_2.mp4', 'format=jpeg'],
    // A file with the name of a picture that is not a picture.
    ['ast_1.png', 'format=jpeg'],
  ] as const) {
    const refused = await small(name, query);
    assert.equal(refused.status, 400, `${name} ${query}`);
    assert.ok(!refused.headers.get('cache-control')?.includes('immutable'));
  }
});
