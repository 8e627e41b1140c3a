import { Type, type Static } from 'typebox';
import { eachSetting, kinds, maxTextOptionCharacters } from '../kinds.ts';
import { accountStates, StudioBalance, StudioLimits } from './account.ts';
import { Refusal } from './error.ts';
import {
  id,
  link,
  longText,
  millicredits,
  nullable,
  oneOf,
  sequence,
  shortText,
  time,
} from './schema-builders.ts';

/** The fields of every kind of request. The service has already filled in every default. */
const anyRequest = {
  model: id,
  /** `null`: the account's default project, for requests that name no project. */
  project_id: nullable(id),
  prompt: Type.String({ maxLength: 20_000 }),
  styles: Type.Array(id, { maxItems: 20 }),
  suggestions: Type.Array(id, { maxItems: 50 }),
  options: Type.Record(
    Type.String(),
    Type.Union([Type.String({ maxLength: maxTextOptionCharacters }), Type.Number(), Type.Boolean()]),
  ),
  // A reference is the id of one of the account's library items or the token of one of its uploads.
  reference_images: Type.Array(id, { maxItems: 50 }),
  /** The id of the client's request to the service, so that the log lines of all parts share it. */
  request_id: Type.Optional(id),
};
const settings = eachSetting(() => Type.Optional(Type.Number()));
const drawnRequest = {
  ...anyRequest,
  base_model: Type.Optional(id),
  aspect_ratio: Type.Optional(shortText),
  cfg: settings.cfg,
};
const { mask_blur: maskBlur, ...imageSettings } = settings;
const imageRequest = { ...drawnRequest, ...imageSettings, sampler: Type.Optional(shortText) };
const duration = Type.Optional(Type.Number({ minimum: 0, maximum: 3_600 }));

/**
 * A request for one generation, by its kind. `validate.ts` checks the fields that a kind needs, so that a refusal names
 * the missing field. Fields of other kinds are ignored.
 */
export const RenderRequest = Type.Union([
  Type.Object({ kind: Type.Literal('image'), ...imageRequest }),
  Type.Object({
    kind: Type.Literal('image_edit'),
    ...imageRequest,
    /** The source image; for an inpaint, `mask` marks the parts that may change. */
    image: Type.Optional(id),
    mode: Type.Optional(oneOf(['transform', 'inpaint'] as const)),
    strength: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    mask: Type.Optional(id),
    inpaint_type: Type.Optional(oneOf(['refine', 'fill'] as const)),
    mask_blur: maskBlur,
  }),
  Type.Object({
    kind: Type.Literal('video'),
    ...drawnRequest,
    duration_seconds: duration,
    start_image: Type.Optional(id),
    end_image: Type.Optional(id),
    reference_audios: Type.Optional(Type.Array(id, { maxItems: 20 })),
    source_video: Type.Optional(id),
  }),
  Type.Object({
    kind: Type.Literal('video_extend'),
    ...anyRequest,
    duration_seconds: duration,
    /** A library item of type video. */
    video_id: Type.Optional(id),
    /** One of the values of the model's option `resolution`. */
    resolution: Type.Optional(shortText),
  }),
]);
export type RenderRequest = Static<typeof RenderRequest>;
/** The request of one kind. */
export type RequestOf<K extends RenderRequest['kind']> = Extract<RenderRequest, { kind: K }>;

const quoteQuestion = {
  request: RenderRequest,
  moderate: Type.Boolean(),
  /** Tokens of uploads that the request names and that will be stored and ready before the submit. */
  coming: Type.Optional(Type.Array(id, { maxItems: 50 })),
};

export const QuotesRequest = Type.Object(
  { quotes: Type.Array(Type.Object(quoteQuestion), { minItems: 1, maxItems: 64 }) },
  { additionalProperties: false },
);
export type QuotesRequest = Static<typeof QuotesRequest>;

/** Requests for quotes of several accounts. Each contains its account and an access token of this account. */
export const SharedQuotesRequest = Type.Object(
  {
    quotes: Type.Array(
      Type.Object({ account: id, access_token: Type.String({ maxLength: 8_192 }), ...quoteQuestion }),
      { minItems: 1, maxItems: 64 },
    ),
  },
  { additionalProperties: false },
);
export type SharedQuotesRequest = Static<typeof SharedQuotesRequest>;

export const QuoteResult = Type.Object({
  account_state: oneOf(accountStates),
  /** Paths of ids that the account does not have, as in the request: `project_id`, `reference_images[1]`. */
  unknown_ids: Type.Array(shortText, { maxItems: 100 }),
  /** Fields that name something unsuitable: a video instead of a picture, a mask of another shape. */
  invalid_fields: Type.Optional(
    Type.Array(Type.Object({ field: shortText, message: longText }), { maxItems: 100 }),
  ),
  cost_millicredits: millicredits,
  outputs: Type.Integer({ minimum: 0, maximum: 64 }),
  balance: StudioBalance,
  refusal: nullable(Refusal),
  /** Opaque. A submit accepts it for 25 hours. `null` when the studio refuses or an id is unknown. */
  quote: nullable(Type.String({ maxLength: 4_096 })),
});
export type QuoteResult = Static<typeof QuoteResult>;
export const QuotesAnswer = Type.Object({ results: Type.Array(QuoteResult, { maxItems: 64 }) });
/**
 * `null` means no answer here: the client must call `createQuotes` for this account, whose answer gives the reason. A
 * studio returns `null` when the token is invalid, and whenever it wants to answer the account separately.
 */
export const SharedQuotesAnswer = Type.Object({
  results: Type.Array(nullable(QuoteResult), { maxItems: 64 }),
});
export type SharedQuotesAnswer = Static<typeof SharedQuotesAnswer>;

export const renderStatuses = ['queued', 'running', 'succeeded', 'failed'] as const;
export const RenderOutput = Type.Object({
  /** The library item's id. */
  id,
  type: oneOf(['image', 'video'] as const),
  url: link,
  thumb_url: nullable(link),
  width: nullable(Type.Number()),
  height: nullable(Type.Number()),
  duration: nullable(Type.Number()),
  nsfw: Type.Boolean(),
  request_id: nullable(Type.Integer()),
  /**
   * How the output was made; a studio may omit it. `seed` is the seed of its job; `null` when the engine takes none.
   */
  made: Type.Optional(
    Type.Object({
      seed: nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      model_version: nullable(Type.Integer({ minimum: 0, maximum: 1e9 })),
      backend: nullable(shortText),
      seconds: nullable(Type.Number({ minimum: 0 })),
    }),
  ),
});
export const Render = Type.Object({
  /** The client's own name for the render: the service sends its generation id. */
  token: id,
  render_id: id,
  kind: oneOf(kinds),
  /** Queued and running renders both count for the account's limits. */
  status: oneOf(renderStatuses),
  prompt_id: id,
  project_id: id,
  cost_millicredits: millicredits,
  /** The ledger entry of the charge. */
  ledger_seq: sequence,
  expected_outputs: Type.Integer({ minimum: 0, maximum: 64 }),
  outputs: Type.Array(RenderOutput, { maxItems: 64 }),
  /**
   * `partial_failure` with status `succeeded`; any other code only with status `failed`. Failed renders are refunded.
   */
  error: nullable(
    Type.Object({
      code: shortText,
      message: longText,
      /**
       * The stage in which the render failed, one of `failureStages`. Omitted when nothing was started or the stage is
       * unknown.
       */
      stage: Type.Optional(shortText),
    }),
  ),
  accepted_at: time,
  completed_at: nullable(time),
});
export type Render = Static<typeof Render>;

export const SubmitRequest = Type.Object({
  quote: Type.String({ maxLength: 4_096 }),
  request: RenderRequest,
});
/** The same token gets the same answer again, except for `busy`, which is not stored. */
export const SubmitAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('accepted'), render: Render }),
  Type.Object({
    outcome: Type.Literal('busy'),
    retry_after: Type.Integer({ minimum: 0, maximum: 3_600 }),
    limits: StudioLimits,
  }),
  Type.Object({ outcome: Type.Literal('refused'), refusal: Refusal }),
  /** The token was tombstoned: it will never be rendered. */
  Type.Object({ outcome: Type.Literal('barred') }),
]);
export type SubmitAnswer = Static<typeof SubmitAnswer>;

export const LookupRequest = Type.Object({ tokens: Type.Array(id, { minItems: 1, maxItems: 200 }) });
/** Omits tokens that the account never submitted. */
export const LookupAnswer = Type.Object({
  renders: Type.Array(Render, { maxItems: 200 }),
  ledger_seq: sequence,
});

/**
 * `stopping`: the render ends as soon as its engine releases it, with the outputs made until then. `ended`: the render
 * has ended, by itself if `was_ended`, else by this or an earlier stop. `too_late`: the engine completes the work that
 * it has started, and there is nothing left to stop.
 */
export const StopAnswer = Type.Object({
  outcome: oneOf(['stopping', 'ended', 'too_late'] as const),
  was_ended: Type.Boolean(),
  render: Render,
});
export type StopAnswer = Static<typeof StopAnswer>;

/** After `barred`, no submit with this token will ever be accepted. `known` returns the existing render instead. */
export const TombstoneAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('barred') }),
  Type.Object({ outcome: Type.Literal('known'), render: Render }),
]);
