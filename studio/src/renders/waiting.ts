import { outputsOf } from '@renderkit/contract/studio/kinds.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { RenderShape } from '../backends/render-shape.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import { delaySecondsOf } from '../catalog/snapshot.ts';
import { shapeOf } from './request-shape.ts';
import { seedOf } from './seed.ts';

/** What is known of a render that waits for a backend. */
export type Waiting = {
  shape: RenderShape;
  /** 0 … 2^32−1. */
  seed: number;
  /** Delay before anything of the render is made. */
  delay_seconds: number;
  /** How long an engine needs, for the fairness of turns. */
  expected_seconds: number;
};

/** For routes that set no time themselves: `studio/src/catalog/route-row.ts` has the same number. */
const typicalSeconds = 30;

/**
 * Returns what is stored with a new render. `studio/sql/functions/waiting_for.sql` decides which render is next, and
 * `queue_reason.sql` beside it why a render waits.
 */
export function waitingOf(model: CatalogModel, request: RenderRequest, render: string): Waiting {
  const [route] = model.routes;
  const jobs = Math.ceil(outputsOf(model.offered, request.kind) / (route?.outputs.max_per_job ?? 1));
  return {
    shape: shapeOf(request, model),
    seed: seedOf(request, render),
    delay_seconds: delaySecondsOf(model, request),
    expected_seconds: jobs * (route?.typical_seconds ?? typicalSeconds),
  };
}
