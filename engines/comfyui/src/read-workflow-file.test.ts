import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { readerOf } from './byte-reader.ts';
import { writeJson } from './json.ts';
import { readWorkflowFile } from './read-workflow-file.ts';
import { WorkflowError } from './workflow-error.ts';

const api = '{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615}}}';
const ui = '{"nodes":[],"links":[]}';

async function read(bytes: Buffer | string): Promise<{ prompt: string | null; workflow: string | null }> {
  const { prompt, workflow } = await readWorkflowFile(readerOf(Buffer.from(bytes as Buffer)));
  return {
    prompt: prompt === undefined ? null : writeJson(prompt),
    workflow: workflow === undefined ? null : writeJson(workflow),
  };
}

const refusedAs = (code: string, words: RegExp) => (error: unknown) =>
  error instanceof WorkflowError && error.problems[0]?.code === code && words.test(error.message);

const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const backwards = (bytes: Buffer) => Buffer.from(bytes.toReversed());
const u32 = (value: number) =>
  Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const join = (...parts: (string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));

const pngChunk = (type: string, ...data: (string | Buffer)[]) => {
  const body = join(...data);
  return join(u32(body.length), type, body, u32(0));
};
const png = (...chunks: Buffer[]) =>
  join('\x89PNG\r\n\x1a\n', pngChunk('IHDR', Buffer.alloc(13)), ...chunks, pngChunk('IEND'));
const box = (type: string, ...data: (string | Buffer)[]) => {
  const body = join(...data);
  return join(u32(body.length + 8), type, body);
};

/** Returns a TIFF with one directory of ASCII fields. */
function tiff(fields: Record<number, string>, order: 'II' | 'MM' = 'MM'): Buffer {
  const short = (value: number) => (order === 'MM' ? u16(value) : backwards(u16(value)));
  const long = (value: number) => (order === 'MM' ? u32(value) : backwards(u32(value)));
  const entries = Object.entries(fields);
  let at = 8 + 2 + entries.length * 12 + 4;
  const head: Buffer[] = [];
  const values: Buffer[] = [];
  for (const [tag, text] of entries) {
    const value = join(text, '\0');
    head.push(short(Number(tag)), short(2), long(value.length), long(at));
    values.push(value);
    at += value.length;
  }
  return join(order, short(42), long(8), short(entries.length), ...head, long(0), ...values);
}

test('a file of JSON is read in either format, with a byte order mark, in strings, and as the body of a request', async () => {
  assert.deepEqual(await read(api), { prompt: api, workflow: null });
  assert.deepEqual(await read(`\uFEFF ${ui}`), { prompt: null, workflow: ui });
  assert.deepEqual(await read(JSON.stringify(JSON.stringify(JSON.stringify(ui)))), {
    prompt: null,
    workflow: ui,
  });
  assert.deepEqual(await read(`{"client_id":"a","prompt":${api}}`), { prompt: api, workflow: null });
  assert.deepEqual(await read(`{"workflow":${ui},"output":${api}}`), { prompt: api, workflow: ui });
});

test('what is no workflow is refused with a sentence', async () => {
  for (const text of ['{}', '{"a":1}', '[]', 'hello', '', '{', '{"nodes":[]}', '"x"'])
    await assert.rejects(read(text), refusedAs('not_a_workflow', /not a ComfyUI workflow/), text);
});

test('a PNG carries prompt and workflow as plain, packed and international text', async () => {
  const plain = png(pngChunk('tEXt', 'prompt\0', api), pngChunk('tEXt', 'workflow\0', ui));
  assert.deepEqual(await read(plain), { prompt: api, workflow: ui });
  const packed = png(pngChunk('zTXt', 'Workflow\0\0', deflateSync(ui)));
  assert.deepEqual(await read(packed), { prompt: null, workflow: ui });
  const japanese = Buffer.from('{"3":{"class_type":"K","_meta":{"title":"標本"}}}');
  const international = png(
    pngChunk('iTXt', 'prompt\0\0\0ja\0x\0', japanese),
    pngChunk('iTXt', 'workflow\0\x01\0\0\0', deflateSync(ui)),
  );
  assert.deepEqual(await read(international), { prompt: japanese.toString(), workflow: ui });
});

test('an animated PNG carries them in chunks of its own, behind the images', async () => {
  assert.deepEqual(await read(png(pngChunk('IDAT', 'x'), pngChunk('comf', 'prompt\0', api))), {
    prompt: api,
    workflow: null,
  });
});

test('a PNG whose prompt is damaged is taken by its workflow, and refused where there is none', async () => {
  const chunks = [pngChunk('tEXt', 'prompt\0{"3":'), pngChunk('tEXt', 'workflow\0', ui)];
  assert.deepEqual(await read(png(...chunks)), { prompt: null, workflow: ui });
  await assert.rejects(read(png(chunks[0]!)), refusedAs('not_a_workflow', /damaged/));
});

test('a file without a workflow says so, and says that sites remove it or that another program made it', async () => {
  await assert.rejects(read(png()), refusedAs('no_workflow_in_file', /sites remove it/));
  const other = png(pngChunk('tEXt', 'parameters\0a cat, Steps: 20'));
  await assert.rejects(read(other), refusedAs('no_workflow_in_file', /A1111/));
  await assert.rejects(
    read(join(Buffer.from('ffd8ffe000020000', 'hex'))),
    refusedAs('no_workflow_in_file', /JPEG/),
  );
});

test('text that would unpack beyond the limit is left out', async () => {
  const bomb = png(pngChunk('zTXt', 'prompt\0\0', deflateSync(Buffer.alloc(17 * 1024 * 1024, 32))));
  await assert.rejects(read(bomb), refusedAs('no_workflow_in_file', /PNG/));
});

test('texts that unpack to more than a file may hold are not unpacked one after the other', async () => {
  const packed = deflateSync(Buffer.alloc(17 * 1024 * 1024, 32));
  const bombs = ['zTXt', 'iTXt'].map((type) =>
    pngChunk(type, type === 'zTXt' ? 'prompt\0\0' : 'prompt\0\x01\0\0\0', packed),
  );
  const many = Array.from({ length: 20 }, () => bombs).flat();
  await assert.rejects(read(png(...many)), refusedAs('not_a_workflow', /unpacked/));
  // If two have the same keyword, the first counts. The others are not even unpacked.
  const first = pngChunk('zTXt', 'prompt\0\0', deflateSync(api));
  assert.deepEqual(await read(png(first, ...many)), { prompt: api, workflow: null });
});

test('WebP, JPEG and AVIF carry them in EXIF of either byte order', async () => {
  const fields = { 0x010f: `workflow:${ui}`, 0x0110: `Prompt:${api}` };
  const riff = (...chunks: Buffer[]) => join('RIFF', Buffer.alloc(4), 'WEBP', ...chunks);
  const chunk = (type: string, data: Buffer) =>
    join(type, backwards(u32(data.length)), data, Buffer.alloc(data.length % 2));
  const both = { prompt: api, workflow: ui };
  assert.deepEqual(await read(riff(chunk('VP8 ', Buffer.alloc(3)), chunk('EXIF', tiff(fields, 'II')))), both);
  const app1 = join('Exif\0\0', tiff(fields));
  assert.deepEqual(await read(join(Buffer.from('ffd8ffe1', 'hex'), u16(app1.length + 2), app1)), both);
  assert.deepEqual(await read(avif(tiff(fields))), both);
});

function avif(exif: Buffer): Buffer {
  const item = join(u32(6), 'Exif\0\0', exif);
  const head = box('ftyp', 'avif\0\0\0\0avifmif1');
  const iinf = box('iinf', u32(0), u16(1), box('infe', u32(0x02000000), u16(7), u16(0), 'Exif\0'));
  const metaBytes = 8 + 4 + iinf.length + 8 + 4 + 2 + 2 + 2 + 2 + 2 + 4 + 4;
  const offset = head.length + metaBytes + 8;
  const iloc = box(
    'iloc',
    u32(0),
    u16(0x4400),
    u16(1),
    u16(7),
    u16(0),
    u16(1),
    u32(offset),
    u32(item.length),
  );
  return join(head, box('meta', u32(0), iinf, iloc), box('mdat', item));
}

test('a video carries them by name, at the end of the file, or as JSON in its comment', async () => {
  const keys = box('keys', u32(0), u32(2), box('mdta', 'prompt'), box('mdta', 'workflow'));
  const item = (index: number, text: string) =>
    join(u32(text.length + 24), u32(index), box('data', u32(1), u32(0), text));
  const ilst = box('ilst', item(1, api), item(2, ui));
  const file = (udta: Buffer) =>
    join(
      box('ftyp', 'isom\0\0\0\0isom'),
      box('mdat', Buffer.alloc(999)),
      box('moov', box('mvhd', 'x'), box('udta', udta)),
    );
  const both = { prompt: api, workflow: ui };
  assert.deepEqual(await read(file(box('meta', u32(0), box('hdlr', 'x'), keys, ilst))), both);
  assert.deepEqual(await read(file(box('meta', keys, ilst))), both, 'as QuickTime has it');
  const comment = JSON.stringify({ prompt: api, workflow: JSON.parse(ui) });
  const inComment = box('ilst', box('\xa9cmt', box('data', u32(1), u32(0), comment)));
  assert.deepEqual(await read(file(box('meta', u32(0), inComment))), both);
  assert.deepEqual(await read(file(box('\xa9cmt', u16(comment.length), u16(0), comment))), both);
  await assert.rejects(read(file(box('free'))), refusedAs('no_workflow_in_file', /video/));
});

test('a WebM carries them as tags in capitals', async () => {
  const element = (id: string, data: Buffer) =>
    join(
      Buffer.from(id, 'hex'),
      Buffer.from([0x10 | (data.length >>> 24)]),
      u32(data.length).subarray(1),
      data,
    );
  const simple = (name: string, text: string) =>
    element('67c8', join(element('45a3', Buffer.from(name)), element('4487', Buffer.from(text))));
  const tags = element(
    '1254c367',
    element('7373', join(simple('ENCODER', 'x'), simple('PROMPT', api), simple('WORKFLOW', ui))),
  );
  const segment = element('18538067', join(element('1f43b675', Buffer.alloc(100)), tags));
  assert.deepEqual(await read(join(element('1a45dfa3', Buffer.alloc(4)), segment)), {
    prompt: api,
    workflow: ui,
  });
});

test('damage of any kind ends in a refusal and in nothing else', async () => {
  const samples = [
    png(pngChunk('tEXt', 'prompt\0', api), pngChunk('zTXt', 'workflow\0\0', deflateSync(ui))),
    avif(tiff({ 0x0110: `prompt:${api}` })),
    join(
      box('ftyp', 'isom'),
      box('moov', box('udta', box('meta', u32(0), box('keys', u32(0), u32(1), box('mdta', 'prompt'))))),
    ),
    join(Buffer.from('1a45dfa384000000001853806701ffffffffffffff1254c36790', 'hex'), Buffer.alloc(40, 0x73)),
    join('RIFF\0\0\0\0WEBPEXIF', backwards(u32(60)), tiff({ 0x0110: 'prompt:{}' })),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(500), fc.nat(255)), { maxLength: 6 }),
      fc.nat(500),
      async (sample, changes, cut) => {
        const bytes = Buffer.from(sample);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        try {
          await read(bytes.subarray(0, Math.max(16, bytes.length - (cut % 3 === 0 ? cut : 0))));
        } catch (error) {
          assert.ok(error instanceof WorkflowError, String(error));
        }
      },
    ),
    { numRuns: 600 },
  );
});

const recorded = process.env['RECORDED_ANSWERS'];
test(
  'the image that a real ComfyUI saved carries both',
  { skip: recorded === undefined ? 'RECORDED_ANSWERS names no recorded answers' : false },
  async (context) => {
    const file = path.join(recorded ?? '', 'comfyui/wf1.png');
    if (!existsSync(file)) return context.skip('there is no recorded image');
    const found = await read(readFileSync(file));
    assert.ok(found.prompt !== null && JSON.parse(found.prompt) !== null);
  },
);
