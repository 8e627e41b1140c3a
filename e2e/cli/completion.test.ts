// Tests the completion of the command line, in each shell that is installed.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { cliEnvironment, runCli, wordsOf } from './run-cli.ts';

const run = promisify(execFile);

let folder: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'renderkit-completion-'));
  await writeFile(path.join(folder, 'painting.png'), '');
});
after(() => rm(folder, { recursive: true, force: true }));

const cli = (words: string) => runCli(wordsOf(words), { cwd: folder });

/** Shells write their own files into their home directory. */
const inShell = (shell: string, words: readonly string[]) =>
  run(shell, words, { cwd: folder, env: cliEnvironment(folder, { ZDOTDIR: folder }) });

test('completions are scripts that the shell reads', async () => {
  const { stdout } = await cli('completion bash');
  await writeFile(path.join(folder, 'completion.bash'), stdout);
  const completed = async (line: string) => {
    const words = line.split(' ').map((word) => JSON.stringify(word));
    const shell = `source completion.bash; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _renderkit; echo "\${COMPREPLY[@]}"`;
    return (await inShell('bash', ['-c', shell])).stdout.trim();
  };
  assert.match(await completed('renderkit gen '), /\bwait\b.*\bdownload\b/);
  assert.equal(await completed('renderkit image boat --preview ki'), 'kitty');
  assert.equal(await completed('renderkit mcp install --client cu'), 'cursor');
  assert.equal(await completed('renderkit connect openw'), 'openwebui');
  assert.equal(await completed('renderkit image boat -o completi'), 'completion.bash');
  assert.match((await cli('completion powershell')).stdout, /'gen' = 'list get wait/);
});

const completions = [
  ['gen lis', 'gen list'],
  ['image boat --preview ki', 'image boat --preview kitty'],
  ['gen list --status fa', 'gen list --status failed'],
  ['connect openw', 'connect openwebui'],
  ['edit -o pain', 'edit -o painting.png'],
] as const;

test(
  'fish completes commands, options, what they are chosen from, and files',
  installed('fish'),
  async () => {
    await writeFile(path.join(folder, 'completion.txt'), (await cli('completion fish')).stdout);
    for (const [typed, whole] of completions) {
      const { stdout } = await inShell('fish', [
        '--no-config',
        '-c',
        `source completion.txt; complete -C 'renderkit ${typed}'`,
      ]);
      assert.equal(stdout.split(/[\t\n]/)[0], whole.split(' ').at(-1), typed);
    }
  },
);

const placesOfZsh = [
  ['sourced, its completion set up by nobody else', 'source completion.txt'],
  [
    'sourced, its completion set up further down and not before',
    'source completion.txt; (( $+functions[compdef] )) && exit; autoload -Uz compinit; compinit -u',
  ],
  ['found where it looks for functions', 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D'],
] as const;
for (const [where, setUp] of placesOfZsh)
  test(`zsh in a terminal completes the same, ${where}`, installed('zsh'), async () => {
    const script = (await cli('completion zsh')).stdout;
    await writeFile(path.join(folder, 'completion.txt'), script);
    await writeFile(path.join(folder, '_renderkit'), script);
    // The command that then runs prints what was completed.
    const begin = `${setUp}\nrenderkit() { print -r -- "<$*>" }\nprint -r -- "<ready>"\n`;
    await writeFile(path.join(folder, 'begin.zsh'), begin);
    const driver = [
      "zmodload zsh/zpty; zpty shell 'zsh -f -i'",
      "zpty -w shell 'source ./begin.zsh'; zpty -r shell seen '*<ready>*'",
      `for typed in ${completions.map(([typed]) => `'${typed}'`).join(' ')}`,
      'do zpty -w shell "renderkit $typed"$\'\\t\'; zpty -r shell seen \'*<*>*\'; print -r -- "${${seen##*<}%%>*}"; done',
    ].join('\n');
    const { stdout } = await inShell('zsh', ['-fc', driver]);
    assert.deepEqual(
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => line.trim()),
      completions.map(([, whole]) => whole),
    );
  });

function installed(shell: string): { skip: string | false } {
  return { skip: spawnSync(shell, ['--version']).status !== 0 && `${shell} is not installed here` };
}
