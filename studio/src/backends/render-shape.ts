import type { Kind } from '@renderkit/contract/studio/kinds.ts';
import type { MediaSource } from '@renderkit/engine-kit/route.ts';

/** What routes ask of a render and its cost depend on, written when it is accepted. */
export interface RenderShape {
  readonly kind: Kind;
  readonly mode?: 'transform' | 'inpaint';
  /** Media that the request brings; what is not there is not named. */
  readonly has: Readonly<Partial<Record<MediaSource, true>>>;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Of one output. */
  readonly pixels: number;
  /** Of one video; null for images. */
  readonly seconds: number | null;
}
