import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { commands, loadCommands } from './commands.ts';

const document = path.resolve(import.meta.dirname, '../../../docs/engines.md');

test('the table of commands in docs/engines.md has each of them with its options, and no other', async () => {
  const ofEngines = /^(?:backend|model|plan|style|apply|costs)\b/;
  const wanted = (await loadCommands(commands))
    .filter(({ words }) => ofEngines.test(words))
    .map(({ words, usage }) => `${words} ${usage}`.trimEnd());
  const [, table = ''] = readFileSync(document, 'utf8').split('| command | answer |');
  const rows = table.split('\n\n')[0]?.matchAll(/^\| `(.+?)` \| /gm) ?? [];
  const told = Array.from(rows, ([, command = '']) => command.replaceAll('\\|', '|'));
  assert.deepEqual(told.toSorted(), wanted.toSorted());
});

test('each command is found by its first word', async () => {
  for (const { firstWords, load } of commands) {
    const begun = new Set((await load()).map(({ words }) => words.split(' ')[0]));
    assert.deepEqual(begun, new Set(firstWords));
  }
});
