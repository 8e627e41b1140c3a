import type { Engine } from '@renderkit/engine-kit/engine.ts';
import { openProceduralProcesses } from '@renderkit/engine-procedural/engine.ts';
import { createSandboxEngine } from '@renderkit/engine-sandbox/engine.ts';

/**
 * Opens every engine that a worker runs, with up to `atOnce` renders of each kind at the same time. A new engine is a
 * separate package in `engines/` and a line here. The engines' resources are disposed with `owners`.
 */
export function openEngines(atOnce: number, owners: AsyncDisposableStack): Engine[] {
  const { engine: procedural } = owners.use(openProceduralProcesses(atOnce));
  return [procedural, createSandboxEngine(procedural)];
}
