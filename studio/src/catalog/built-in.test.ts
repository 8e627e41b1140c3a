import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { before, test } from 'node:test';
import { lexicon } from '@renderkit/engine-procedural/lexicon.ts';
import { builtInCatalog } from './built-in.ts';

let catalog: Awaited<ReturnType<typeof builtInCatalog>>;
before(async () => {
  catalog = await builtInCatalog();
});

/** Returns the same value for values that differ only in the order of their keys, where it means nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, canonical(item)]),
  );
}

test('the product offers by its files what release 1 offered by its code', () => {
  const models = [...catalog.models.values()].map(({ offered: all, videoSizes, refusedStyles, routes }) => {
    const [route] = routes;
    // Since release 1 descriptions were rewritten, and subjects and usual times were added.
    const { description: _description, subjects: _subjects, usual_seconds: _seconds, ...offered } = all;
    return { offered, videoSizes, refusedStyles, engine: route?.engine, engineModel: route?.model };
  });
  const plans = [...catalog.plans.values()].map(({ weight: _1, stop_refund: _2, ...plan }) => plan);
  const { styles, suggestions } = catalog.shared;
  const words = [...catalog.words];
  const text = JSON.stringify(canonical({ models, plans, styles, suggestions, words }));
  assert.equal(hash('sha256', text), '553d2a5527e33d54d34420dd7b68d9587d0061ef3a9458f57c2194543bcc302a');
});

test('models and their prices stand in their order', () => {
  const prices = [...catalog.models.values()].map(({ offered: { id, price } }) => [
    id,
    price.base_millicredits,
    price.per_second_millicredits ?? 0,
  ]);
  assert.deepEqual(prices, [
    ['atelier-1', 4_000, 0],
    ['sketch-1', 1_000, 0],
    ['linework-1', 6_000, 0],
    ['prism-1', 10_000, 0],
    ['nocturne-1', 8_000, 0],
    ['papercut-studio', 5_000, 0],
    ['character/figures', 6_000, 0],
    ['retouch-1', 5_000, 0],
    ['engrave-1', 6_000, 0],
    ['collage-studio', 7_000, 0],
    ['drift-1', 5_000, 2_000],
    ['prism-motion-1', 4_000, 3_000],
    ['animate-1', 6_000, 2_000],
    ['score-1', 6_000, 2_000],
    ['restyle-1', 8_000, 3_000],
    ['onward-1', 5_000, 2_000],
    ['sandbox-fail', 1_000, 0],
    ['sandbox-partial', 1_000, 0],
    ['sandbox-slow', 1_000, 0],
  ]);
});

test('every file of the product is published', async () => {
  const folder = path.join(import.meta.dirname, '..', '..', 'models');
  const manifests = (await readdir(folder)).filter((name) => name.endsWith('.model.yaml'));
  assert.equal(manifests.length, catalog.models.size);
});

test('a route of the product makes all that its model makes in one job, on a backend of its name', () => {
  for (const { offered, routes } of catalog.models.values()) {
    assert.equal(routes.length, 1, offered.id);
    assert.equal(routes[0]?.outputs.max_per_job, Math.max(...Object.values(offered.batch_size)), offered.id);
    assert.deepEqual(routes[0]?.on, [routes[0]?.engine], offered.id);
  }
});

test('whatever a model of the product says it draws is a word that its engine knows', () => {
  const strange = [...catalog.models.values()].flatMap(({ id, offered: { subjects = {} }, routes }) =>
    Object.values(subjects)
      .flatMap((words) => words.split(' '))
      .filter((word) => routes[0]?.engine === 'procedural' && !lexicon.has(word) && !lexicon.has(`${word}s`))
      .map((word) => `${id}: ${word}`),
  );
  assert.deepEqual(strange, []);
});

test('every model of the product that draws what words name, in a mask too, says what it draws, but for the sandbox', () => {
  const silent = [...catalog.models.values()]
    .filter(
      ({ offered: { suites, inpaint, subjects } }) =>
        (suites.includes('image') || inpaint) && subjects === undefined,
    )
    .map(({ id }) => id);
  assert.ok(silent.length > 0 && silent.every((id) => id.startsWith('sandbox-')), silent.join());
});
