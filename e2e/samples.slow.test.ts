// Runs every sample of the reference, of the page about webhooks and of the README exactly as it is written. Only the
// key and the address are filled in.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { signatureHeader } from '@renderkit/service/webhooks/deliveries/sign.ts';
import { codeOf, has, lacks, openSamples, root, type Samples } from './harness/samples.ts';
import type { Shell } from './harness/shell.ts';

type Sample = { lang: string; label: string; source: string };
type Responses = Record<string, { content: Record<string, unknown> }>;
type Document = {
  info: { description: string };
  paths: Record<
    string,
    Record<string, { operationId: string; tags: string[]; responses: Responses; 'x-codeSamples': Sample[] }>
  >;
  tags: { name: string }[];
};

describe('the samples of the documents', { skip: lacks('bash', 'curl', 'grep') }, () => {
  let samples: Samples;
  before(async () => {
    samples = await openSamples();
  });
  after(() => samples[Symbol.asyncDispose]());

  /** Pastes a sample that calls the API. Returns the JSON at the end of its output. */
  async function answerOf(to: Shell, sample: string, what: string): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await to.paste(sample);
    assert.deepEqual([code, stderr], [0, ''], `${what}: ${stdout} ${stderr}`);
    const start = stdout.indexOf('{');
    assert.notEqual(start, -1, `${what} answers ${stdout}`);
    return JSON.parse(stdout.slice(start)) as Record<string, unknown>;
  }

  async function pasteFirst(to: Shell, document: Document): Promise<void> {
    const [first = '', second = '', ...more] = codeBlocks(document.info.description);
    assert.deepEqual(more, []);
    assert.deepEqual((await to.paste(samples.filledIn(first))).code, 0);
    assert.equal((await answerOf(to, second, 'the second sample'))['status'], 'succeeded');
  }

  test('the reference: every operation, in the order in which it is read', async () => {
    const document = JSON.parse(await samples.textOf('/openapi.json')) as Document;
    await using bash = samples.shell();
    await pasteFirst(bash, document);
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    let pasted = 0;
    for (const { name } of document.tags)
      for (const { operationId, tags, responses, 'x-codeSamples': shown } of all) {
        if (!tags.includes(name)) continue;
        const sample = shown.find(({ lang }) => lang === 'Shell');
        assert.ok(sample, operationId);
        pasted++;
        const [media] = Object.keys(Object.values(responses)[0]?.content ?? {});
        if (media !== 'application/json') {
          const { code, stdout, stderr } = await bash.paste(sample.source);
          assert.deepEqual([code, stderr], [0, ''], `${operationId}: ${stdout} ${stderr}`);
          if (media === 'text/event-stream') assert.match(stdout, /^event: done$/m);
          continue;
        }
        const answer = await answerOf(bash, sample.source, operationId);
        const lost = operationId === 'cancelGeneration' && answer['code'] === 'conflict';
        assert.ok(lost || typeof answer['object'] === 'string', `${operationId}: ${JSON.stringify(answer)}`);
      }
    assert.equal(pasted, all.length);
  });

  for (const [lang, file, command] of [
    ['JavaScript', 'sample.mjs', `"${process.execPath}" sample.mjs`],
    ['Python', 'sample.py', 'python3 sample.py'],
  ] as const)
    test(
      `the reference: programs in ${lang}`,
      { skip: lang === 'Python' ? lacks('python3') : false },
      async () => {
        const document = JSON.parse(await samples.textOf('/openapi.json')) as Document;
        await using bash = samples.shell();
        const [first = ''] = codeBlocks(document.info.description);
        await bash.paste(samples.filledIn(first));
        const programs = Object.values(document.paths)
          .flatMap((methods) => Object.values(methods))
          .flatMap((operation) => operation['x-codeSamples'].filter((sample) => sample.lang === lang));
        assert.notEqual(programs.length, 0);
        for (const { source } of programs) {
          await writeFile(path.join(samples.directory, file), source);
          const { code, stdout, stderr } = await bash.paste(command);
          assert.deepEqual([code, stderr], [0, ''], stdout + stderr);
          assert.match(stdout, /^succeeded .*http/);
        }
      },
    );

  test('webhooks: what checks a signature is pasted and takes what is genuine', async () => {
    const html = await samples.textOf('/docs/webhooks');
    const codes = new Map(
      [...html.matchAll(/<h3 id="(\w+)">[^<]*<\/h3>\n<pre><code>(.*?)<\/code>/gs)].map(
        ([, id = '', code = '']) => [id, codeOf(code)],
      ),
    );
    assert.deepEqual([...codes.keys()], ['node', 'python', 'go', 'shell']);
    const secret = 'whsec_c2FtcGxl';
    const body = '{"id":"evt_1","object":"event","type":"ping"}';
    const header = signatureHeader([secret], Math.floor(Date.now() / 1000), Buffer.from(body));
    await writeFile(path.join(samples.directory, 'body.json'), body);
    await writeFile(path.join(samples.directory, 'verify.mjs'), codes.get('node') ?? '');
    await writeFile(path.join(samples.directory, 'verify.py'), codes.get('python') ?? '');
    await using bash = samples.shell();
    const told = async (command: string) => (await bash.paste(command)).stdout.trim();
    await bash.paste(codes.get('shell') ?? '');
    for (const [given, genuine] of [
      [header, true],
      [header.replace(/.$/, (last) => (last === '0' ? '1' : '0')), false],
    ] as const) {
      if (has('openssl'))
        assert.equal(
          await told(`is_genuine body.json '${given}' ${secret} && echo true || echo false`),
          String(genuine),
        );
      const js = `import { readFileSync } from 'node:fs'; import { isGenuine } from './verify.mjs'; console.log(isGenuine(readFileSync('body.json'), '${given}', '${secret}'))`;
      assert.equal(await told(`"${process.execPath}" --input-type=module -e "${js}"`), String(genuine));
      if (has('python3'))
        assert.equal(
          await told(
            `python3 -c "import verify; print(verify.is_genuine(open('body.json', 'rb').read(), '${given}', '${secret}'))"`,
          ),
          genuine ? 'True' : 'False',
        );
    }
  });

  test('the README: the first request and those that go on from it', async () => {
    const blocks = codeBlocks(await readFile(path.join(root, 'README.md'), 'utf8'));
    const [first = '', ...others] = blocks.filter((block) => /\bcurl\b|^export /m.test(block));
    assert.ok(others.length >= 3);
    await using bash = samples.shell();
    await bash.paste(samples.filledIn(first));
    for (const sample of others) {
      const { code, stdout, stderr } = await bash.paste(sample);
      assert.deepEqual([code, stderr], [0, ''], `${sample}: ${stdout} ${stderr}`);
      const answers = stdout.match(/"object":"generation"/g)?.length ?? 0;
      assert.equal(answers, sample.match(/^curl/gm)?.length, stdout);
      assert.doesNotMatch(stdout, /problem|"code":/);
    }
  });
});

/** Returns the blocks of code in a Markdown text. */
function codeBlocks(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, code = '']) => code);
}
