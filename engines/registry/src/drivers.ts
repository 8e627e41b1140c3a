import assert from 'node:assert/strict';
import { checkA1111Backend } from '@renderkit/engine-a1111/full-check.ts';
import { createA1111Driver } from '@renderkit/engine-a1111/driver.ts';
import { createCommandDriver } from '@renderkit/engine-command/driver.ts';
import { checkCommandBackend } from '@renderkit/engine-command/full-check.ts';
import { checkComfyBackend } from '@renderkit/engine-comfyui/full-check.ts';
import { createComfyuiDriver } from '@renderkit/engine-comfyui/driver.ts';
import { createFalDriver } from '@renderkit/engine-fal/driver.ts';
import { checkFalBackend } from '@renderkit/engine-fal/full-check.ts';
import { checkEngine } from '@renderkit/engine-kit/check-engine.ts';
import type { CreateDriver } from '@renderkit/engine-kit/driver.ts';
import type { EngineProcesses } from '@renderkit/engine-kit/engine-processes.ts';
import type { FullCheck } from '@renderkit/engine-kit/full-check.ts';
import type { EngineName } from '@renderkit/engine-kit/route.ts';
import { createOpenaiImagesDriver } from '@renderkit/engine-openai-images/driver.ts';
import { checkOpenaiImagesBackend } from '@renderkit/engine-openai-images/full-check.ts';
import { createOpenaiVideosDriver } from '@renderkit/engine-openai-videos/driver.ts';
import { checkOpenaiVideosBackend } from '@renderkit/engine-openai-videos/full-check.ts';
import { createReplicateDriver } from '@renderkit/engine-replicate/driver.ts';
import { checkReplicateBackend } from '@renderkit/engine-replicate/full-check.ts';

/** The drivers. A new driver is a separate package in `engines/` and a line here. */
const drivers: { readonly [Engine in EngineName]?: CreateDriver } = {
  a1111: createA1111Driver,
  command: createCommandDriver,
  comfyui: createComfyuiDriver,
  fal: createFalDriver,
  'openai-images': createOpenaiImagesDriver,
  'openai-videos': createOpenaiVideosDriver,
  replicate: createReplicateDriver,
};

/**
 * Returns the driver of an engine. `undefined` where the engine draws in the worker's own processes, or this release
 * has no driver for it.
 */
export function createDriverFor(engine: EngineName): CreateDriver | undefined {
  return drivers[engine];
}

const fullChecks: { readonly [Engine in EngineName]?: FullCheck } = {
  a1111: checkA1111Backend,
  command: checkCommandBackend,
  comfyui: checkComfyBackend,
  fal: checkFalBackend,
  'openai-images': checkOpenaiImagesBackend,
  'openai-videos': checkOpenaiVideosBackend,
  procedural: checkEngine(() => openLocal('procedural'), 'atelier'),
  replicate: checkReplicateBackend,
  sandbox: checkEngine(() => openLocal('sandbox'), 'sandbox-slow'),
};

/**
 * Returns the full check of an engine. `undefined` where there is none: then a check only tests that the engine answers
 * and has what routes need.
 */
export function fullCheckOf(engine: EngineName): FullCheck | undefined {
  return fullChecks[engine];
}

/** Loads the drawing code on demand, because processes that serve requests do not need it. */
async function openLocal(id: 'procedural' | 'sandbox'): Promise<EngineProcesses> {
  const { openEngines } = await import('./open-engines.ts');
  const owners = new AsyncDisposableStack();
  const engine = openEngines(1, owners).find((one) => one.id === id);
  assert.ok(engine, `There is an engine ${id}.`);
  return { engine, [Symbol.asyncDispose]: () => owners.disposeAsync() };
}
