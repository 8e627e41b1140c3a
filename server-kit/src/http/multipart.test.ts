import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MalformedForm, readMultipart } from './multipart.ts';

type Part = { name: string; fileName?: string | undefined; isFile: boolean; content: string };

const boundary = '--limit';
const contentType = `multipart/form-data; boundary=${boundary}`;
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** Creates a request whose body arrives in these pieces. Each piece has its own memory. */
function requestOf(pieces: readonly string[], type = contentType): IncomingMessage {
  const chunks = pieces.filter((piece) => piece !== '').map((piece) => Uint8Array.from(bytesOf(piece)));
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk.buffer)));
  return Object.assign(body, { headers: { 'content-type': type } }) as unknown as IncomingMessage;
}

async function partsOf(pieces: readonly string[], type?: string): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const { name, fileName, isFile, content } of readMultipart(requestOf(pieces, type))) {
    let text = '';
    for await (const chunk of content) text += chunk.toString('latin1');
    parts.push({ name, fileName, isFile, content: text });
  }
  return parts;
}

const broken = (pieces: readonly string[], type?: string) =>
  assert.rejects(partsOf(pieces, type), MalformedForm, JSON.stringify(pieces).slice(0, 200));

const head = (name: string, fileName?: string) =>
  `Content-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n`;
const formOf = (parts: readonly { name: string; fileName?: string; content: string }[]) =>
  `${parts.map(({ name, fileName, content }) => `--${boundary}\r\n${head(name, fileName)}\r\n${content}\r\n`).join('')}--${boundary}--\r\n`;
const lake = formOf([
  { name: 'project_id', content: 'prj_1' },
  { name: 'file', fileName: 'lake.png', content: 'a\r\nb\r\n--limi\r\n\r\n--' },
]);
const lakeParts = [
  { name: 'project_id', fileName: undefined, isFile: false, content: 'prj_1' },
  { name: 'file', fileName: 'lake.png', isFile: true, content: 'a\r\nb\r\n--limi\r\n\r\n--' },
];

test('a form is the same wherever it is cut', async () => {
  assert.deepEqual(await partsOf([lake]), lakeParts);
  assert.deepEqual(await partsOf([...lake]), lakeParts);
  for (let at = 1; at < lake.length; at++)
    assert.deepEqual(await partsOf([lake.slice(0, at), lake.slice(at)]), lakeParts, String(at));
});

test('whatever is in it comes out again', async () => {
  const content = fc
    .array(
      fc.constantFrom('\r', '\n', '-', '--', '\r\n', '\r\n--', '\r\n----lim', 'limit', 'x', '\0', '\xff'),
    )
    .map((pieces) => pieces.join(''))
    .filter((text) => !`${text}\r\n--`.includes(`\r\n--${boundary}`));
  const parts = fc.array(fc.record({ name: fc.constantFrom('a', 'b'), fileName: fc.constant('f'), content }));
  await fc.assert(
    fc.asyncProperty(parts, fc.array(fc.nat({ max: 40 })), async (sent, lengths) => {
      let left = formOf(sent);
      const pieces: string[] = [];
      for (const length of lengths) {
        pieces.push(left.slice(0, length));
        left = left.slice(length);
      }
      assert.deepEqual(
        await partsOf([...pieces, left]),
        sent.map((part) => ({ ...part, isFile: true })),
      );
    }),
    { numRuns: 500 },
  );
});

test('a boundary may be quoted, a line or a few words stand before it, and a line after the end', async () => {
  const quoted = 'multipart/form-data; charset=utf-8; Boundary="--limit"';
  assert.deepEqual(await partsOf([lake], quoted), lakeParts);
  for (const before of ['\r\n', 'This is a form.\r\n'])
    assert.deepEqual(await partsOf([before + lake]), lakeParts, before);
  assert.deepEqual(await partsOf([lake, '\r\n']), lakeParts);
  assert.deepEqual(await partsOf([lake.slice(0, -2)]), lakeParts);
  assert.deepEqual(await partsOf([`--${boundary}--`]), []);
});

test('names of parts and files are read as they are sent', async () => {
  for (const [line, name, fileName, isFile] of [
    ['form-data; name=file; filename=lake.png', 'file', 'lake.png', true],
    ['FORM-DATA; Name="file"; FileName=""', 'file', '', true],
    [
      String.raw`form-data; name="a\"b\\c"; filename="C:\dir\lake.png"`,
      String.raw`a"b\c`,
      String.raw`C:\dir\lake.png`,
      true,
    ],
    ['form-data; name="file"; filename="x"; filename*=UTF-8\'\'l%C3%A4ke.png', 'file', 'läke.png', true],
    ['form-data; name=""', '', undefined, false],
  ] as const) {
    const form = `--${boundary}\r\nContent-Disposition: ${line}\r\n\r\n\r\n--${boundary}--`;
    assert.deepEqual(await partsOf([form]), [{ name, fileName, isFile, content: '' }], line);
  }
  const untyped = `--${boundary}\r\ncontent-type: application/octet-stream\r\n${head('file')}\r\n\r\n--${boundary}--`;
  assert.equal((await partsOf([untyped]))[0]?.isFile, true);
});

test('what is no form, or not all of one, is refused', async () => {
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary=a; boundary=b',
    'multipart/form-data; boundary="a\tb"',
    'multipart/form-data; boundary="a "',
    `multipart/form-data; boundary=${'a'.repeat(71)}`,
  ])
    await broken([lake], type);
  await broken([]);
  for (let at = 1; at < lake.length - 2; at++) await broken([lake.slice(0, at)]);
  await broken([lake.replaceAll('\r\n', '\n')]);
  await broken([lake.replaceAll('\r\n', '\r')]);
  await broken([lake.replace(`--${boundary}\r\n`, `--${boundary} \r\n`)]);
  await broken([lake.replace(`--${boundary}\r\n`, `--${boundary}x\r\n`)]);
  await broken(['x'.repeat(1_100), `\r\n${lake}`]);
  await broken([lake, 'x'.repeat(1_100)]);
  await broken([lake, ...Array.from({ length: 1_100 }, () => 'x')]);
});

test('headers of parts are few, short, and say one thing', async () => {
  const disposition = head('file', 'a');
  const withHead = (lines: string) => `--${boundary}\r\n${lines}\r\nx\r\n--${boundary}--\r\n`;
  assert.equal((await partsOf([withHead(disposition)])).length, 1);
  for (const lines of [
    '',
    'Content-Type: image/png\r\n',
    'Content-Disposition: attachment; name="file"\r\n',
    'Content-Disposition: form-data\r\n',
    'Content-Disposition: form-data; name\r\n',
    'Content-Disposition: form-data; name="file\r\n',
    'Content-Disposition: form-data; name="file"; name="other"\r\n',
    'Content-Disposition: form-data; name="file" filename="a"\r\n',
    "Content-Disposition: form-data; name=file; filename*=latin1''a\r\n",
    "Content-Disposition: form-data; name=file; filename*=UTF-8''%ff\r\n",
    disposition + disposition,
    `${disposition}X-A: b\r\n c\r\n`,
    `${disposition}X-A: b\nX-B: c\r\n`,
    `${disposition}X-A: b\0\r\n`,
    `${disposition}X A: b\r\n`,
    `${disposition}no colon\r\n`,
    `${disposition}Content-Transfer-Encoding: base64\r\n`,
    disposition + Array.from({ length: 20 }, (_, i) => `X-${i}: y\r\n`).join(''),
    `${disposition}X-A: ${'y'.repeat(9_000)}\r\n`,
  ])
    await broken([withHead(lines)]);
  // Endless headers are refused long before they end.
  const endless = Array.from({ length: 1_000 }, () => 'y'.repeat(1_000));
  await broken([`--${boundary}\r\nX-A: `, ...endless]);
});

test('a part that is left unread is passed over; one that is left in its middle is an end', async () => {
  const names: string[] = [];
  for await (const { name } of readMultipart(requestOf([...lake]))) names.push(name);
  assert.deepEqual(names, ['project_id', 'file']);
  const parts = readMultipart(requestOf([...lake]));
  const part = (await parts.next()).value;
  assert.ok(part !== undefined);
  await part.content.next();
  await part.content.return();
  await assert.rejects(parts.next(), MalformedForm);
});

test('what nearly is the boundary, again and again, takes no longer than other bytes do', async () => {
  const long = 'a'.repeat(70);
  const part = `--${long}\r\n${head('file', 'a')}\r\n`;
  for (const unit of ['a', '\r\n', `\r\n--${long.slice(1)}`, `\r\n--${long.slice(35)}`]) {
    const pieces = Array.from({ length: 60 }, () => unit.repeat(65_536 / unit.length));
    const began = performance.now();
    const parts = await partsOf(
      [part, ...pieces, `b\r\n--${long}--`],
      `multipart/form-data; boundary=${long}`,
    );
    assert.equal(parts[0]?.content.length, pieces.join('').length + 1);
    assert.ok(performance.now() - began < 2_000, `${unit}: ${performance.now() - began} ms`);
  }
});
