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
  return checkManifest(read, { files, ...(targetsOf && { machine: { backend: 'gpu1', targetsOf } }) });
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

const misfits: readonly (readonly [
  target: string,
  spec: TargetSpec,
  code: string,
  words: RegExp,
  line: number,
])[] = [
  [
    'painter.steps',
    { type: 'int', min: 1, max: 10 },
    'binding_range',
    /the option steps can be 4 to 20, and gpu1 takes 1 to 10 there/,
    28,
  ],
  ['painter.steps', { type: 'int', min: 5 }, 'binding_range', /4 to 20, and gpu1 takes 5 or more there/, 28],
  ['painter.steps', { type: 'string' }, 'type_mismatch', /gpu1 wants a text/, 28],
  [
    'painter.look',
    { type: 'string', choices: ['dry', 'wet'] },
    'choice_unknown',
    /becomes soaked, and gpu1 has no such choice there: it has dry, wet/,
    29,
  ],
  [
    'painter.look',
    { type: 'other', files: { folder: 'loras', has: (name) => name === 'dry' } },
    'file_missing',
    /becomes soaked, and gpu1 lacks soaked in loras/,
    29,
  ],
  [
    'canvas.height',
    { type: 'int', min: 400, max: 2048 },
    'binding_range',
    /height can be 384, and gpu1 takes 400 to 2048 there/,
    31,
  ],
  [
    'canvas.height',
    { type: 'int', min: 16, max: 2048, step: 100 },
    'binding_range',
    /gpu1 takes steps of 100 there/,
    31,
  ],
  ['save.filename_prefix', { type: 'bool' }, 'type_mismatch', /wants true or false/, 32],
];
for (const [target, spec, code, words, line] of misfits)
  test(`${target} does not fit: ${words.source}`, () => {
    const problems = problemsOf(image, () => new Map(Object.entries({ ...specs, [target]: spec })));
    const found = problems.find(({ message }) => words.test(message));
    assert.deepEqual([found?.code, found?.line], [code, line], JSON.stringify(problems));
  });

test('an input that the engine does not have is found where the file has one of that name', () => {
  const { 'painter.steps': _without, ...others } = specs;
  const [problem] = problemsOf(image, () => new Map(Object.entries(others)));
  assert.deepEqual([problem?.code, problem?.line], ['input_missing', 28]);
});
