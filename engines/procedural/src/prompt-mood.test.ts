import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMood, wordsOf } from './prompt-mood.ts';

test('Words name the hour, the weather and the place', () => {
  const mood = readMood('A misty pine forest at dawn');
  assert.equal(mood.time, 'dawn');
  assert.equal(mood.weather.fog, 1);
  assert.ok(mood.places.has('forest'));
  assert.equal(mood.tree, 'conifer');
});

test('A named hour beats one that a star merely implies', () => {
  assert.equal(readMood('sunset under the first stars').time, 'sunset');
  assert.equal(readMood('stars over the lake').time, 'night');
});

test('A colour before a thing belongs to that thing, any other to the whole picture', () => {
  const mood = readMood('a turquoise lake under a red sky, green hills');
  assert.equal(mood.colours.length, 1);
  assert.ok(mood.ofWater && mood.ofWater.h > 180);
  assert.ok(mood.ofLand && mood.ofLand.h > 120);
});

test('What is denied is not painted', () => {
  const mood = readMood('a lake without clouds, no people');
  assert.equal(mood.weather.clouds, 0);
  assert.ok(!mood.places.has('person'));
});

test('Hints count like words of the prompt', () => {
  assert.equal(readMood('a lake', ['golden-hour_night']).time, 'night');
});

test('Words are lower case and without accents or punctuation', () => {
  assert.deepEqual(wordsOf('Café, LAKE—at dawn!'), ['cafe', 'lake', 'at', 'dawn']);
});
