import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestNames, shownName } from './nearest-names.ts';

const nearest = (name: string, ...names: string[]) =>
  nearestNames(
    name,
    names.map((label) => ({ label, texts: [label] })),
  );

test('conventions of writing names do not count, a few letters do', () => {
  assert.deepEqual(nearest('aspectRatio', 'aspect_ratio', 'prompt'), ['aspect_ratio']);
  assert.deepEqual(nearest('ASPECT-RATIO', 'aspect_ratio'), ['aspect_ratio']);
  assert.deepEqual(nearest('promt', 'prompt', 'project_id'), ['prompt']);
  assert.deepEqual(nearest('prmopt', 'prompt'), ['prompt']);
  assert.deepEqual(nearest('atelier', 'atelier-1', 'sketch-1'), ['atelier-1']);
  assert.deepEqual(nearest('colour', 'prompt', 'cfg', 'styles'), []);
  assert.deepEqual(nearest('n', 'a', 'b'), []);
});

test('the nearest come first, and no more than asked for', () => {
  assert.deepEqual(nearest('style', 'styler', 'style', 'stile', 'stylish'), ['style', 'styler', 'stile']);
  assert.deepEqual(
    nearestNames(
      'modal',
      ['model', 'modals', 'medal'].map((label) => ({ label, texts: [label] })),
      2,
    ),
    ['model', 'modals'],
  );
});

test('long names are not compared, and no name is quoted at any length', () => {
  assert.deepEqual(nearest('x'.repeat(100_000), 'x'.repeat(100_001)), []);
  assert.equal(shownName('prompt'), 'prompt');
  assert.equal(shownName('two words\n'), '"two words\\n"');
  assert.equal(shownName(''), '""');
  assert.equal(shownName('ü'.repeat(61)), `${'ü'.repeat(60)}…`);
  assert.ok(shownName(`\ud800${'x'.repeat(300)}`).isWellFormed());
});
