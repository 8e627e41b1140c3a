import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintFor } from './prompt-hint.ts';

const named = (id: string, description = '') => ({ id, name: id, description });
const land = named('land');
const people = named('people');
const free = named('free', 'Portraits of knights and queens.');
const subjects = new Map([
  [
    'land',
    [
      { name: 'landscapes', words: ['mountain', 'poppy', 'poppies'] },
      { name: 'the sky', words: ['sunset'] },
    ],
  ],
  ['people', [{ name: 'portraits', words: ['queen', 'robot'] }]],
]);
const hint = (prompt: string, chosen = land, models = [land, people]) =>
  hintFor(prompt, chosen, models, subjects);

test('A prompt with nothing that the model draws leads to the model that draws it', () => {
  assert.deepEqual(hint('The crown of a QUEEN'), {
    draws: ['landscapes', 'the sky'],
    finds: false,
    other: people,
    by: 'portraits',
  });
  assert.equal(hint('robots')?.other, people);
  assert.equal(hint('two mountains', people)?.other, land);
});

test('There is no hint where the model finds something to draw, the names of its subjects included', () => {
  for (const prompt of [
    'Mountains',
    'a zebra at sunset',
    'wide landscapes',
    'A LANDSCAPE',
    'poppies',
    'sky',
    '',
    ' the ',
  ])
    assert.equal(hint(prompt), undefined, prompt);
});

test('Beside what the model draws, a subject that another one alone draws leads there', () => {
  assert.deepEqual(hint('a robot at sunset'), {
    draws: ['landscapes', 'the sky'],
    finds: true,
    other: people,
    by: 'portraits',
  });
  assert.equal(hint('a robot at sunset', land, [land, free]), undefined);
  // The other model has more words for the same subject, but no other subject.
  const wide = named('wide');
  const more = new Map([...subjects, ['wide', [{ name: 'landscapes', words: ['canyon'] }]]]);
  assert.equal(hintFor('a canyon at sunset', land, [land, wide], more), undefined);
});

test('There is no hint about a word that is still being written', () => {
  assert.equal(hint('a moun'), undefined);
  assert.notEqual(hint('a moun '), undefined);
});

test('A model that says nothing of subjects has no hint, and others lead to it where none says more', () => {
  assert.equal(hint('a robot', free, [land, people, free]), undefined);
  assert.equal(hint('a zebra', free, [land, people, free]), undefined);
  assert.deepEqual(hint('a zebra', land, [land, people, free]), {
    draws: ['landscapes', 'the sky'],
    finds: false,
    other: free,
    by: undefined,
  });
  assert.equal(hint('a robot', land, [land, free, people])?.other, people, 'it says that it draws robots');
});

test('Words are those of any language that puts spaces between them', () => {
  const forest = named('forest');
  const own = new Map([['forest', [{ name: 'bois', words: ['forêt', '숲'] }]]]);
  for (const prompt of ['une forêt profonde', 'Une Foret.', '깊은 숲 속', '深い森'])
    assert.equal(hintFor(prompt, forest, [forest], own), undefined, prompt);
  assert.notEqual(hintFor('une église.', forest, [forest], own), undefined);
});

test('Where no model draws it the hint names none, and none of the sandbox', () => {
  const sandbox = named('sandbox-slow');
  const found = hint('a zebra at the piano', land, [land, people, sandbox]);
  assert.ok(found !== undefined && found.other === undefined);
});
