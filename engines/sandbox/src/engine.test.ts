import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError, type ImageRequest } from '@renderkit/engine-kit/engine.ts';
import { createProceduralEngine } from '@renderkit/engine-procedural/engine.ts';
import { createSandboxEngine } from './engine.ts';

const engine = createSandboxEngine(createProceduralEngine());
const never = new AbortController().signal;

const request = (change: Partial<ImageRequest>): ImageRequest => ({
  kind: 'image',
  engineModel: 'sandbox-slow',
  prompt: 'a lake',
  width: 64,
  height: 64,
  seed: 1,
  parameters: {},
  references: [],
  outputs: 2,
  ...change,
});

test('sandbox-fail fails in a way that no second try is given', async () => {
  await assert.rejects(
    Array.fromAsync(engine.render(request({ engineModel: 'sandbox-fail' }), never)),
    (error) => error instanceof EngineError && error.code === 'render_impossible',
  );
});

test('sandbox-partial leaves out the last output', async () => {
  const files = await Array.fromAsync(engine.render(request({ engineModel: 'sandbox-partial' }), never));
  assert.deepEqual(
    files.map(({ index }) => index),
    [0],
  );
});

test('sandbox-slow draws like any other model: its wait is over when its job is handed out', async () => {
  const files = await Array.fromAsync(
    engine.render(request({ parameters: { options: { seconds: 300 } } }), never),
  );
  assert.equal(files.length, 2);
  await assert.rejects(
    Array.fromAsync(engine.render(request({}), AbortSignal.abort(new Error('enough')))),
    /enough/,
  );
});
