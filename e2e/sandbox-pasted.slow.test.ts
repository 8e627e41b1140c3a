import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxRecipes } from '@renderkit/contract/v1/sandbox.ts';
import { codeOf, lacks, openSamples } from './harness/samples.ts';

test(
  'every recipe of the sandbox, pasted from its page, ends as it says',
  { skip: lacks('bash', 'curl', 'npm') },
  async () => {
    await using samples = await openSamples();
    const html = await samples.textOf('/docs/sandbox');
    await using bash = samples.shell();
    const setup = codeOf(/<pre id="setup"><code>(.*?)<\/code>/s.exec(html)?.[1] ?? '');
    assert.deepEqual(await bash.paste(samples.filledIn(setup)), { code: 0, stdout: '', stderr: '' });
    for (const { id, title, answer, requests } of sandboxRecipes) {
      const section = new RegExp(`<section id="${id}">.*?</section>`, 's').exec(html)?.[0] ?? '';
      const lines = codeOf(/<pre><code>(.*?)<\/code>/s.exec(section)?.[1] ?? '');
      const { code, stdout, stderr } = await bash.paste(lines);
      assert.equal(code, 0, `${title}: ${stdout} ${stderr}`);
      const answers = stdout.split(/(?=HTTP\/1\.1 (?!100))/).filter((one) => one.startsWith('HTTP/'));
      assert.equal(answers.length, requests.length, `${title}: ${stdout}`);
      const wanted =
        'code' in answer ? `"code":"${answer.code}"` : 'upload' in answer ? 'HTTP/1.1 201' : 'HTTP/1.1 202';
      assert.ok(answers.at(-1)?.includes(wanted), `${title}: ${stdout}`);
    }
  },
);
