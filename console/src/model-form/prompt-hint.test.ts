import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betterModelFor } from './prompt-hint.ts';

const land = { id: 'land', name: 'Land', description: 'Painted landscapes, seas and towns.' };
const people = { id: 'people', name: 'People', description: 'Portraits of knights and queens.' };
const sandbox = { id: 'sandbox-slow', name: 'Slow', description: 'Takes its time over portraits.' };
const models = [land, sandbox, people];

test('A prompt that another model says it draws leads to that model', () => {
  const found = betterModelFor('The portrait of a KNIGHT', land, models);
  assert.deepEqual([found?.model.id, found?.word], ['people', 'portrait']);
});

test('There is no hint where the chosen model says so too, or where no model says anything of it', () => {
  assert.equal(betterModelFor('portrait of a town? no, a landscape', land, models), undefined);
  assert.equal(betterModelFor('a zebra on the piano', land, models), undefined);
  assert.equal(betterModelFor('', land, models), undefined);
});

test('Words that say nothing of a motif lead nowhere', () => {
  const other = { id: 'other', name: 'Other', description: 'A model for pictures.' };
  assert.equal(betterModelFor('a picture of a model', land, [land, other]), undefined);
});
