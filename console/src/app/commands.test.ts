import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFor, pageCommands } from './commands.ts';
import { keyOf, pageGroups } from './pages.ts';

const links = pageGroups.flatMap((group) => [...group.links]);
const commands = pageCommands(links, () => undefined);

test('The palette finds pages by any of their words, those that begin with it first', () => {
  assert.deepEqual(
    commandsFor('li', commands).map(({ name }) => name),
    ['Library', 'Deliveries'],
  );
  assert.deepEqual(
    commandsFor('keys API', commands).map(({ name }) => name),
    ['API keys'],
  );
  assert.equal(commandsFor('', commands).length, links.length);
  assert.deepEqual(commandsFor('no such page', commands), []);
});

test('No two pages have the same key', () => {
  const keys = links.map(keyOf).filter((key) => key !== undefined);
  assert.equal(new Set(keys).size, keys.length);
});
