import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { placeholderKey, sampleLanguages, sampleOf } from './code-samples.ts';

const run = promisify(execFile);
let directory = '';
let baseUrl = '';

type Seen = { method: string; url: string; key: string | undefined; type: string | undefined; body: string };
const seen: Seen[] = [];
/** Accepts every request and answers with a finished generation. */
const sink = createServer((request, answer) => {
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, key: headers.authorization, type: headers['content-type'], body });
    answer.writeHead(202, { 'content-type': 'application/json' });
    answer.end('{"id":"gen_1","status":"succeeded","outputs":[{"url":"http://localhost/a.png"}]}');
  });
});
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-samples-'));
  await once(sink.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
});
after(async () => {
  sink.close();
  await rm(directory, { recursive: true, force: true });
});

const programs = {
  curl: (sample: string) => run('sh', ['-c', sample], { cwd: directory, timeout: 20_000 }),
  TypeScript: async (sample: string) => {
    const file = path.join(directory, 'sample.mts');
    await writeFile(file, sample);
    return run(process.execPath, [file], { cwd: directory, timeout: 20_000 });
  },
  Python: async (sample: string) => {
    const file = path.join(directory, 'sample.py');
    await writeFile(file, sample);
    return run('python3', [file], { cwd: directory, timeout: 20_000 });
  },
};

/** Returns whether this machine has the program that runs the sample. */
async function hasProgram(language: keyof typeof programs): Promise<boolean> {
  const commands = { curl: 'curl', TypeScript: process.execPath, Python: 'python3' };
  return run(commands[language], ['--version']).then(
    () => true,
    () => false,
  );
}

const nasty = `it's "quoted" $HOME \`id\` $(id) \\ \${x} %s\nnew line\tü 🌊 </script> JSON`;
const bodies = {
  'an ordinary request': {
    model: 'character/figures',
    prompt: 'a lake',
    options: { grain: false, detail: 7, palette: 'vivid' },
    styles: ['sty_noir'],
    cfg: 1.5,
  },
  'a request full of signs that mean something somewhere': {
    prompt: nasty,
    options: { [nasty]: nasty, "it's": true, class: 1 },
    styles: [nasty, nasty],
  },
};

for (const language of sampleLanguages)
  describe(`the sample for ${language}`, async () => {
    const skip = (await hasProgram(language)) ? false : `${language} cannot be run here`;
    for (const [what, body] of Object.entries(bodies))
      test(`sends ${what} as it is`, { skip }, async () => {
        seen.length = 0;
        await programs[language](sampleOf(language, { baseUrl, path: '/v1/images/generations', body }));
        assert.equal(seen.length, 1);
        const [request] = seen as [Seen];
        assert.deepEqual(
          [request.method, request.url, request.key, request.type],
          ['POST', '/v1/images/generations', `Bearer ${placeholderKey}`, 'application/json'],
        );
        assert.deepEqual(JSON.parse(request.body), body);
      });

    test('reads a painted mask from its file', { skip }, async () => {
      const mask = Buffer.alloc(300_000, 'mask');
      await writeFile(path.join(directory, 'mask.png'), mask);
      const body = {
        image: 'ast_1',
        prompt: `data: ${nasty}`,
        mode: 'inpaint',
        mask: 'data:image/png;base64,AAAA',
        inpaint_type: 'fill',
      };
      const sample = sampleOf(language, { baseUrl, path: '/v1/images/edits', body });
      assert.ok(!sample.includes('AAAA'));
      seen.length = 0;
      await programs[language](sample);
      assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), {
        ...body,
        mask: `data:image/png;base64,${mask.toString('base64')}`,
      });
    });
  });
