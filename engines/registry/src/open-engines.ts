import type { Engine } from '@renderkit/engine-kit/engine.ts';
import { openProceduralProcesses } from '@renderkit/engine-procedural/engine.ts';
import { createSandboxEngine } from '@renderkit/engine-sandbox/engine.ts';

/**
 * Every engine that a worker runs, `atOnce` renders of each kind side by side: a new one is a package of its own below
 * `engines/` and a line here. What they own is disposed with `owners`.
 */
export function openEngines(atOnce: number, owners: AsyncDisposableStack): Engine[] {
  const { engine: procedural } = owners.use(openProceduralProcesses(atOnce));
  return [procedural, createSandboxEngine(procedural)];
}
