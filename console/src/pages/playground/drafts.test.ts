import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { MaskStep } from '../../media/mask-step.ts';
import { lastKind, readDraft, readPrompts, rememberPrompt, saveDraft } from './drafts.ts';
import { readMask, rememberMask } from './painted-masks.ts';

/** Storage limit of a browser for a site, in characters. */
const maxCharacters = 5 * 1024 * 1024;
/** Points of a stroke, as a pointer makes them: about 24 characters each. */
const pointsOfStroke = 40_000;

const names = ['localStorage', 'sessionStorage'] as const;
const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
let store: Map<string, string>;

const openTab = () => {
  const tab = browserStore(new Map());
  const enter = () => Object.defineProperty(globalThis, 'sessionStorage', { value: tab, configurable: true });
  enter();
  return enter;
};

beforeEach(() => {
  store = new Map();
  Object.defineProperty(globalThis, 'localStorage', { value: browserStore(store), configurable: true });
  openTab();
});
afterEach(() => {
  for (const [name, property] of before)
    if (property === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, property);
});

test('A tab has the form that was written in it, whatever another tab writes of the same kind', () => {
  const first = openTab();
  saveDraft('acc', 'image', { prompt: 'of the first' }, []);
  openTab();
  assert.equal(readDraft('acc', 'image')?.values.prompt, 'of the first');
  saveDraft('acc', 'image', { prompt: 'of the second' }, []);
  saveDraft('acc', 'video', { prompt: 'a video' }, []);
  first();
  assert.equal(readDraft('acc', 'image')?.values.prompt, 'of the first');
  assert.equal(lastKind('acc'), 'image');
  assert.equal(readDraft('acc', 'video')?.values.prompt, 'a video');
  openTab();
  assert.equal(readDraft('acc', 'image')?.values.prompt, 'of the second');
});

test('Masks leave room for prompts and forms, and the oldest go first', () => {
  const runs = Array.from({ length: 12 }, (_, i) => `gen_${i}`);
  for (const [i, run] of runs.entries()) rememberMask('acc', run, painted(i));
  assert.deepEqual(readMask('acc', 'gen_11'), painted(11));
  assert.deepEqual(readMask('acc', 'gen_0'), []);
  assert.ok(
    maxCharacters - sizeOf(store) < sizeOf(new Map([['', JSON.stringify(painted(0))]])),
    'it is full',
  );
  for (let i = 0; i < 50; i++) rememberPrompt('acc', `${i} ${'a harbour '.repeat(2_000)}`);
  assert.equal(readPrompts('acc').length, 50);
  const strokes = painted(99);
  saveDraft('acc', 'image_edit', { prompt: 'a tree', mode: 'inpaint', mask: 'upl_1' }, strokes);
  assert.equal(readDraft('acc', 'image_edit')?.values.prompt, 'a tree');
  assert.deepEqual(readDraft('acc', 'image_edit')?.values.strokes, strokes);
});

test('A mask that several runs have is kept once, and found for each', () => {
  rememberMask('acc', 'gen_0', painted(0));
  const one = sizeOf(store);
  for (let i = 1; i < 8; i++) rememberMask('acc', `gen_${i}`, painted(0));
  assert.ok(sizeOf(store) < one + 200, `${sizeOf(store)} characters after ${one}`);
  for (let i = 0; i < 8; i++) assert.deepEqual(readMask('acc', `gen_${i}`), painted(0));
});

test('A mask that is too large for the browser takes no other with it', () => {
  rememberMask('acc', 'gen_0', painted(0));
  rememberMask('acc', 'gen_1', Array.from({ length: 12 }, (_, i) => painted(i)).flat());
  assert.deepEqual(readMask('acc', 'gen_1'), []);
  assert.deepEqual(readMask('acc', 'gen_0'), painted(0));
});

test('A mask of elsewhere is kept once, and named where it is too large', () => {
  const form = { prompt: 'a tree', mode: 'inpaint' };
  const taken = (characters: number): MaskStep => ({
    kind: 'image',
    png: `data:image/png;base64,${'A'.repeat(characters)}`,
    upload: 'upl_1',
  });
  const [dot] = painted(1);
  assert.ok(dot);
  const large = [taken(maxCharacters * 0.75), { ...dot, points: [] }];
  saveDraft('acc', 'image_edit', { ...form, mask: `data:${'B'.repeat(maxCharacters * 0.75)}` }, large);
  assert.equal(readDraft('acc', 'image_edit')?.values.strokes.length, large.length);
  store.clear();
  rememberMask('acc', 'gen_0', painted(0));
  rememberMask('other', 'gen_1', painted(1));
  saveDraft('acc', 'image_edit', { ...form, mask: 'upl_1' }, [taken(maxCharacters)]);
  const values = readDraft('acc', 'image_edit')?.values;
  assert.equal(values?.mask, 'upl_1');
  assert.equal(values.strokes.length, 0);
  assert.equal(readMask('acc', 'gen_0').length, 1);
  assert.equal(readMask('other', 'gen_1').length, 1);
});

function painted(run: number): MaskStep[] {
  const points = Array.from({ length: pointsOfStroke }, (_, i) => ({ x: 1000.5 + i / 10, y: 100.5 + run }));
  return [{ kind: 'stroke', erase: false, width: 40, points }];
}

function sizeOf(kept: ReadonlyMap<string, string>): number {
  return [...kept].reduce((sum, [key, text]) => sum + key.length + text.length, 0);
}

/** A storage like a browser's. It refuses a value that is too large and keeps the earlier value. */
function browserStore(kept: Map<string, string>) {
  return {
    get length() {
      return kept.size;
    },
    key: (at: number) => [...kept.keys()][at] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => void kept.delete(key),
    setItem: (key: string, text: string) => {
      if (sizeOf(new Map([...kept, [key, text]])) > maxCharacters)
        throw new DOMException('no room', 'QuotaExceededError');
      kept.set(key, text);
    },
  };
}
