import { Type, type Static } from 'typebox';
import { count, id, nullable, oneOf } from './schemas/schema-builders.ts';

// The progress of renders, for people who watch them. It is sent separately from the feed of changes, and none of it is
// stored. An optional part of the contract: `getMetadata` reports whether a studio offers it.

/** The stages of a render at the studio. `studio/src/progress/reporter.ts` records them. */
export const renderStages = [
  'waiting_for_engine',
  'loading_model',
  'rendering',
  'encoding',
  'storing',
] as const;
export type RenderStage = (typeof renderStages)[number];

/** The stages in which a render can fail. */
export const failureStages = ['submitting', ...renderStages] as const;
export type FailureStage = (typeof failureStages)[number];

/** Reasons why a render waits at the studio. `studio/sql/functions/queue_reason.sql` chooses one. */
export const waitReasons = ['fair_share', 'engine_busy', 'engine_down', 'scheduled_retry'] as const;
export type WaitReason = (typeof waitReasons)[number];

/** The longest side of a preview, in pixels, and its maximum size, in bytes. */
export const maxPreviewSide = 384;
export const maxPreviewBytes = 32_000;
/** The maximum number of renders that one call watches. */
export const maxWatchedRenders = 5_000;

const revision = Type.String({ maxLength: 100 });

export const ProgressRequest = Type.Object({
  renders: Type.Array(
    Type.Object({
      account: id,
      token: id,
      /** The last revision that the caller received; `null` when there is none. */
      revision: nullable(revision),
      /**
       * The answer contains the bytes of a preview if its revision is above this; `null` means that no bytes are
       * wanted.
       */
      preview_after: nullable(count),
    }),
    { minItems: 1, maxItems: maxWatchedRenders },
  ),
  wait_seconds: Type.Integer({ minimum: 0, maximum: 25 }),
});
export type ProgressRequest = Static<typeof ProgressRequest>;

const range = Type.Object({ low: Type.Number({ minimum: 0 }), high: Type.Number({ minimum: 0 }) });

export const RenderPreview = Type.Object({
  /** 0-based position among the outputs of the render. */
  index: Type.Integer({ minimum: 0, maximum: 63 }),
  /** Increases with each preview. */
  revision: count,
  width: Type.Integer({ minimum: 1, maximum: maxPreviewSide }),
  height: Type.Integer({ minimum: 1, maximum: maxPreviewSide }),
  /** A JPEG in base64, if it is newer than the caller's preview. */
  jpeg: Type.Optional(Type.String({ maxLength: Math.ceil(maxPreviewBytes / 3) * 4 })),
});
export type RenderPreview = Static<typeof RenderPreview>;

const RenderProgress = Type.Object({
  account: id,
  token: id,
  revision,
  stage: oneOf(renderStages),
  /** The completed part of the whole render, 0–1; never decreases. `null` when it is unknown. */
  fraction: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  step: nullable(count),
  steps: nullable(count),
  outputs_done: Type.Integer({ minimum: 0, maximum: 64 }),
  /** `null` when an engine has the render and reports no queue of its own. */
  queue: nullable(
    Type.Object({
      /** 1 means next. */
      position: nullable(count),
      of: nullable(count),
      reason: oneOf(waitReasons),
    }),
  ),
  /** Estimated from earlier, similar renders; `null` when it is unknown. */
  starts_in_seconds: nullable(range),
  finishes_in_seconds: nullable(range),
  preview: nullable(RenderPreview),
});
export type RenderProgress = Static<typeof RenderProgress>;

/**
 * `renders` has the requested renders with another revision. `ended` has those that ended or never existed; the feed of
 * changes reports their results.
 */
export const ProgressAnswer = Type.Object({
  renders: Type.Array(RenderProgress, { maxItems: maxWatchedRenders }),
  ended: Type.Array(Type.Object({ account: id, token: id }), { maxItems: maxWatchedRenders }),
});
