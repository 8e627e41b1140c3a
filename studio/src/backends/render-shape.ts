import type { Kind } from '@renderkit/contract/studio/kinds.ts';
import type { MediaSource } from '@renderkit/engine-kit/route.ts';

/**
 * What routes require of a render and what its cost depends on. Stored when the render is accepted.
 * `studio/src/renders/request-shape.ts` makes it; `route_takes.sql` and `route_cost.sql` in `studio/sql/functions` read
 * it.
 */
export interface RenderShape {
  readonly kind: Kind;
  readonly mode?: 'transform' | 'inpaint';
  /** Media that the request brings. Only media that are there have a key. */
  readonly has: Readonly<Partial<Record<MediaSource, true>>>;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Of one output. */
  readonly pixels: number;
  /** Of one video; null for images. */
  readonly seconds: number | null;
}
