import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { requestCode } from './request-code.ts';

const baseUrl = 'http://127.0.0.1:8787';
const edit = {
  kind: 'image_edit' as const,
  body: {
    image: '@a lake.png',
    prompt: "it's\nnight \\ $HOME",
    reference_images: ['@b.png', 'ast_1'],
    options: { seed: 5, 'odd key': true },
  },
  baseUrl,
  more: { output: 'out.png' },
};

/** Runs a script in a shell and returns each call of curl and renderkit as its words. */
function callsOf(script: string): string[][] {
  const functions = `curl() { printf '%s\\0' curl "$@" >&3; printf '\\n' >&3; echo '{"object":"upload","id":"upl_1"}'; }
renderkit() { printf '%s\\0' renderkit "$@" >&3; printf '\\n' >&3; }
exec 3>&1 1>/dev/null
`;
  const text = execFileSync('bash', ['--norc', '-euc', functions + script], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], RENDERKIT_API_KEY: 'rk_live_key' },
  });
  return text
    .split('\0\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\0'));
}

describe('a request written down', () => {
  test('curl sends its files first, and the same request after them', () => {
    const calls = callsOf(requestCode('curl', { ...edit, more: {} }));
    assert.deepEqual(
      calls.map((words) => words.find((word) => word.startsWith('http'))),
      [`${baseUrl}/v1/uploads`, `${baseUrl}/v1/uploads`, `${baseUrl}/v1/images/edits`],
    );
    assert.ok(calls[0]?.includes('file=@"a lake.png"'));
    assert.deepEqual(JSON.parse(calls[2]?.at(-1) ?? ''), {
      ...edit.body,
      image: 'upl_1',
      reference_images: ['upl_1', 'ast_1'],
    });
    assert.ok(calls.every((words) => words.includes('Authorization: Bearer rk_live_key')));
  });

  test('the command line has a word for each field', () => {
    assert.deepEqual(callsOf(requestCode('cli', edit)), [
      [
        'renderkit',
        'edit',
        '@a lake.png',
        "it's\nnight \\ $HOME",
        '--ref',
        '@b.png',
        '--ref',
        'ast_1',
        '-O',
        'seed=5',
        '-O',
        'odd key=true',
        '-o',
        'out.png',
      ],
    ]);
  });

  test('TypeScript takes files by their paths and any text as it is', () => {
    const code = requestCode('ts', edit);
    assert.match(code, /import \{ fromPath, save \} from 'renderkit\/node';/);
    const [, call = ''] = /images\.edit\((\{.*?\n\})\);/s.exec(code) ?? [];
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- what was written is read as the language reads it
    const read = new Function('fromPath', `return ${call}`) as (fromPath: (path: string) => string) => object;
    assert.deepEqual(
      read((path) => `@${path}`),
      edit.body,
    );
  });

  test('what looks like a flag is none, and what a form cannot say is refused', () => {
    const body = { prompt: '-n 5; $(id)', model: '-odd', aspect_ratio: '1:1' };
    const image = { kind: 'image' as const, body, baseUrl };
    assert.deepEqual(callsOf(requestCode('cli', { ...image, more: { count: '2', output: '-' } })), [
      ['renderkit', 'image', '--model=-odd', '-r', '1:1', '-n', '2', '-o', '-', '--', '-n 5; $(id)'],
    ]);
    const refused = [
      ['cli', { count: '1; id' }],
      ['curl', { count: '2' }],
      ['ts', { count: '2' }],
      ['curl', { output: 'out.png' }],
      ['ts', { output: '-' }],
      ['ts', { output: 'folder/' }],
    ] as const;
    for (const [form, more] of refused)
      assert.throws(() => requestCode(form, { ...image, more }), { code: 'usage' }, form);
  });
});
