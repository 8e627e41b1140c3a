import { Type, type Static } from 'typebox';
import { count, id, nullable, oneOf } from './schemas/schema-builders.ts';

// How far renders are, for whoever watches them: told beside the feed of changes, and nothing is kept of it. An optional part
// of the contract: a studio that has it says so in `getMetadata`.

/** How far a render is at the studio. */
export const renderStages = [
  'waiting_for_engine',
  'loading_model',
  'rendering',
  'encoding',
  'storing',
] as const;
export type RenderStage = (typeof renderStages)[number];

/** How far a render was when it failed. */
export const failureStages = ['submitting', ...renderStages] as const;
export type FailureStage = (typeof failureStages)[number];

/** Why a render waits at the studio. */
export const waitReasons = ['fair_share', 'engine_busy', 'engine_down', 'scheduled_retry'] as const;
export type WaitReason = (typeof waitReasons)[number];

/** Longest side of a preview in pixels, and its bytes. */
export const maxPreviewSide = 384;
export const maxPreviewBytes = 32_000;
/** Renders that one call watches. */
export const maxWatchedRenders = 5_000;

const revision = Type.String({ maxLength: 100 });

export const ProgressRequest = Type.Object({
  renders: Type.Array(
    Type.Object({
      account: id,
      token: id,
      /** The last one that was answered; null: none. */
      revision: nullable(revision),
      /** A preview's bytes come along where its revision is above this; null: they are not wanted. */
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
  /** Grows with each one. */
  revision: count,
  width: Type.Integer({ minimum: 1, maximum: maxPreviewSide }),
  height: Type.Integer({ minimum: 1, maximum: maxPreviewSide }),
  /** A JPEG in base64, where it is newer than what the caller has. */
  jpeg: Type.Optional(Type.String({ maxLength: Math.ceil(maxPreviewBytes / 3) * 4 })),
});
export type RenderPreview = Static<typeof RenderPreview>;

const RenderProgress = Type.Object({
  account: id,
  token: id,
  revision,
  stage: oneOf(renderStages),
  /** Of the whole render, 0–1; never less than before. Null where it is not known. */
  fraction: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  step: nullable(count),
  steps: nullable(count),
  outputs_done: Type.Integer({ minimum: 0, maximum: 64 }),
  /** Null once an engine has it and says nothing of a queue of its own. */
  queue: nullable(
    Type.Object({
      /** 1: the next. */
      position: nullable(count),
      of: nullable(count),
      reason: oneOf(waitReasons),
    }),
  ),
  /** By what renders like it took before; null where that is not known. */
  starts_in_seconds: nullable(range),
  finishes_in_seconds: nullable(range),
  preview: nullable(RenderPreview),
});
export type RenderProgress = Static<typeof RenderProgress>;

/**
 * Of the renders that were asked for those whose revision is another. One that ended, or was never there, is in `ended`: the
 * feed says what became of it.
 */
export const ProgressAnswer = Type.Object({
  renders: Type.Array(RenderProgress, { maxItems: maxWatchedRenders }),
  ended: Type.Array(Type.Object({ account: id, token: id }), { maxItems: maxWatchedRenders }),
});
