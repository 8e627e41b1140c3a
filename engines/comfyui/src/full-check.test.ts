import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckedStep } from '@renderkit/engine-kit/full-check.ts';
import { checkComfyBackend } from './full-check.ts';
import { startComfyCounterpart } from './testing/comfy-counterpart.ts';
import { signal } from './testing/drive.ts';

async function check(url: string): Promise<CheckedStep[]> {
  const backend = { name: 'gpu1', url, headers: {}, secret: undefined, egressAllow: [] };
  return Array.fromAsync(checkComfyBackend({ backend, log: { warn: () => {}, debug: () => {} } }, signal()));
}

const failed = (steps: readonly CheckedStep[]): string[] =>
  steps.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message}`);

test('all twelve steps pass where a server does what the driver relies on', async () => {
  await using comfy = await startComfyCounterpart({ nodeMs: 100 });
  const steps = await check(comfy.url);
  assert.deepEqual(failed(steps), []);
  assert.equal(steps.length, 12);
});

test('a machine that is long about one node still passes', async () => {
  await using comfy = await startComfyCounterpart({ nodeMs: 80, interruptLateMs: 2_600 });
  assert.deepEqual(failed(await check(comfy.url)), []);
});

test('a step that fails is told of, and the others are tried', async () => {
  await using comfy = await startComfyCounterpart({ nodeMs: 100, version: '0.3.30' }, { choosesIds: true });
  const steps = await check(comfy.url);
  assert.equal(steps.length, 12);
  const names = steps.filter(({ ok }) => !ok).map(({ name }) => name);
  assert.ok(names.includes('version') && names.includes('submit with own id'), names.join());
  assert.ok(steps.some(({ name, ok }) => name === 'upload' && ok));
});

test('a server that is not there is one step', async () => {
  const comfy = await startComfyCounterpart();
  const { url } = comfy;
  await comfy[Symbol.asyncDispose]();
  assert.deepEqual(
    (await check(url)).map(({ name, ok }) => [name, ok]),
    [['reach', false]],
  );
});

const real = process.env['COMFYUI_URL'] ?? '';
const skip = real === '' ? 'COMFYUI_URL names no ComfyUI' : false;

test('all twelve steps pass on a real ComfyUI', { skip }, async (context) => {
  const steps = await check(real);
  for (const { name, ok, message, seconds } of steps)
    context.diagnostic(`${ok ? 'ok' : 'FAILED'} ${name} (${seconds} s): ${message}`);
  assert.deepEqual(failed(steps), []);
  assert.equal(steps.length, 12);
});
