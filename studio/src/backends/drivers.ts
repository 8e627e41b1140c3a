import { createFalDriver } from '@renderkit/engine-fal/driver.ts';
import type { CreateDriver } from '@renderkit/engine-kit/driver.ts';
import type { EngineName } from '@renderkit/engine-kit/route.ts';
import { createReplicateDriver } from '@renderkit/engine-replicate/driver.ts';

/** The drivers of engines behind addresses: a new one is a package of its own below `engines/` and a line here. */
const drivers: { readonly [Engine in EngineName]?: CreateDriver } = {
  fal: createFalDriver,
  replicate: createReplicateDriver,
};

/** Undefined where the engine is a local one, or one that this release cannot speak to. */
export function createDriverFor(engine: EngineName): CreateDriver | undefined {
  return drivers[engine];
}
