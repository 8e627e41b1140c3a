import { createA1111Driver } from '@renderkit/engine-a1111/driver.ts';
import { createCommandDriver } from '@renderkit/engine-command/driver.ts';
import { checkComfyBackend, type CheckedStep } from '@renderkit/engine-comfyui/check-backend.ts';
import { createComfyuiDriver } from '@renderkit/engine-comfyui/driver.ts';
import { createFalDriver } from '@renderkit/engine-fal/driver.ts';
import type { CreateDriver, DriverTools } from '@renderkit/engine-kit/driver.ts';
import type { EngineName } from '@renderkit/engine-kit/route.ts';
import { createOpenaiImagesDriver } from '@renderkit/engine-openai-images/driver.ts';
import { createOpenaiVideosDriver } from '@renderkit/engine-openai-videos/driver.ts';
import { createReplicateDriver } from '@renderkit/engine-replicate/driver.ts';

/** The drivers: a new one is a package of its own below `engines/` and a line here. */
const drivers: { readonly [Engine in EngineName]?: CreateDriver } = {
  a1111: createA1111Driver,
  command: createCommandDriver,
  comfyui: createComfyuiDriver,
  fal: createFalDriver,
  'openai-images': createOpenaiImagesDriver,
  'openai-videos': createOpenaiVideosDriver,
  replicate: createReplicateDriver,
};

/** Undefined where the engine draws in the worker's own processes, or is one that this release cannot speak to. */
export function createDriverFor(engine: EngineName): CreateDriver | undefined {
  return drivers[engine];
}

/** Tries on a real server all that its driver relies on, step by step. */
export type FullCheck = (tools: DriverTools, signal: AbortSignal) => AsyncIterable<CheckedStep>;

const fullChecks: { readonly [Engine in EngineName]?: FullCheck } = { comfyui: checkComfyBackend };

/** Undefined where the engine has none: its check asks for a sign of life and for what routes need. */
export function fullCheckOf(engine: EngineName): FullCheck | undefined {
  return fullChecks[engine];
}
