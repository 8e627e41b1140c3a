import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TargetSpec } from '@renderkit/engine-kit/target-spec.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import { parse } from 'yaml';
import { checkManifest } from './check-manifest.ts';
import { readManifest } from './read-manifest.ts';

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const files = new Map([
  ['easel.workflow.json', fixture('easel.workflow.json')],
  ['broken.json', '{"nodes": []}'],
]);

function problemsOf(text: string, targetsOf?: (route: Route) => ReadonlyMap<string, TargetSpec>) {
  const read = readManifest(text);
  assert.ok(read.problems === undefined, JSON.stringify(read.problems));
  return checkManifest(read, { files, ...(targetsOf && { targetsOf }) });
}

for (const name of ['easel', 'brush', 'reel'])
  test(`nothing is wrong with the model ${name}`, () => {
    assert.deepEqual(problemsOf(fixture(`${name}.model.yaml`)), []);
  });

type Break = Record<'rule' | 'model' | 'code' | 'words' | 'at' | 'from' | 'to', string>;

for (const one of parse(fixture('broken-manifests.yaml')) as Break[])
  test(`found, with its line: ${one.rule}`, () => {
    const text = fixture(`${one.model}.model.yaml`);
    assert.equal(text.split(one.from).length, 2, `${one.from} stands there once`);
    const broken = text.replace(one.from, () => one.to);
    const problems = problemsOf(broken);
    const words = new RegExp(one.words);
    const found = problems.find(({ code, message }) => code === one.code && words.test(message));
    assert.ok(found !== undefined, JSON.stringify(problems, undefined, 2));
    const line = broken.split('\n')[(found.line ?? 0) - 1] ?? '';
    assert.ok(line.startsWith(one.at), `line ${found.line}: ${line}`);
  });

const image = fixture('easel.model.yaml');
const specs: Record<string, TargetSpec> = {
  'painter.text': { type: 'string' },
  'painter.seed': { type: 'int', min: 0, max: 2 ** 32 },
  'painter.steps': { type: 'int', min: 1, max: 100 },
  'painter.look': { type: 'string', choices: ['dry', 'soaked'] },
  'canvas.width': { type: 'int', min: 64, max: 2048 },
  'canvas.height': { type: 'int', min: 64, max: 2048 },
  'save.filename_prefix': { type: 'string' },
};

test('values that can come fit what the engine says of its targets', () => {
  assert.deepEqual(
    problemsOf(image, () => new Map(Object.entries(specs))),
    [],
  );
});

const misfits: readonly (readonly [target: string, spec: TargetSpec, words: RegExp, line: number])[] = [
  ['painter.steps', { type: 'int', min: 1, max: 10 }, /20 becomes 20, and its most is 10/, 28],
  ['painter.steps', { type: 'int', min: 5, max: 100 }, /4 becomes 4, and its least is 5/, 28],
  ['painter.steps', { type: 'string' }, /wants a text/, 28],
  [
    'painter.look',
    { type: 'string', choices: ['dry', 'wet'] },
    /becomes soaked, which is none of its choices/,
    29,
  ],
  ['canvas.height', { type: 'int', min: 400, max: 2048 }, /384 becomes 384, and its least is 400/, 31],
  ['save.filename_prefix', { type: 'bool' }, /wants true or false/, 32],
];
for (const [target, spec, words, line] of misfits)
  test(`${target} does not fit: ${words.source}`, () => {
    const problems = problemsOf(image, () => new Map(Object.entries({ ...specs, [target]: spec })));
    const found = problems.find(({ message }) => words.test(message));
    assert.deepEqual([found?.code, found?.line], ['binding_range', line], JSON.stringify(problems));
  });

test('an input that the engine does not have is found where the file has one of that name', () => {
  const { 'painter.steps': _without, ...others } = specs;
  const [problem] = problemsOf(image, () => new Map(Object.entries(others)));
  assert.deepEqual([problem?.code, problem?.line], ['input_missing', 28]);
});
