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

/** What a request of every kind has. Every default is already filled in by the service. */
const anyRequest = {
  model: id,
  /** Null: the account's own project for work that names none. */
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
  /** Of the request to the service that asks for it, so that the log lines of all parts share it. */
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
 * One generation as the studio understands it, by its kind. What a kind needs is checked by `validate.ts`, so that a
 * request that lacks it is refused for its own field; what belongs to another kind is not looked at.
 */
export const RenderRequest = Type.Union([
  Type.Object({ kind: Type.Literal('image'), ...imageRequest }),
  Type.Object({
    kind: Type.Literal('image_edit'),
    ...imageRequest,
    /** The source, and for an inpaint what of it may change. */
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
  /** Tokens of uploads that the request names and that will be there, and ready, before it is submitted. */
  coming: Type.Optional(Type.Array(id, { maxItems: 50 })),
};

export const QuotesRequest = Type.Object(
  { quotes: Type.Array(Type.Object(quoteQuestion), { minItems: 1, maxItems: 64 }) },
  { additionalProperties: false },
);
export type QuotesRequest = Static<typeof QuotesRequest>;

/** Questions of several accounts: each names its account and carries an access token of that account. */
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
  /** Paths (as in the request: `project_id`, `reference_images[1]`) of ids that the account does not have. */
  unknown_ids: Type.Array(shortText, { maxItems: 100 }),
  /** Fields that name something which cannot serve there: a video as a picture, a mask of another shape. */
  invalid_fields: Type.Optional(
    Type.Array(Type.Object({ field: shortText, message: longText }), { maxItems: 100 }),
  ),
  cost_millicredits: millicredits,
  outputs: Type.Integer({ minimum: 0, maximum: 64 }),
  balance: StudioBalance,
  refusal: nullable(Refusal),
  /** Opaque; the studio honours it for 25 hours at submit. Null where it refuses or an id is unknown. */
  quote: nullable(Type.String({ maxLength: 4_096 })),
});
export type QuoteResult = Static<typeof QuoteResult>;
export const QuotesAnswer = Type.Object({ results: Type.Array(QuoteResult, { maxItems: 64 }) });
/**
 * Null: not answered here; the account asks by `createQuotes`, whose answer says why. So it is where the token does not
 * serve, and wherever a studio would rather speak to one account alone.
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
  /** How it was made; a studio may not tell. `seed`: that its job was given, null where its engine takes none. */
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
  /** The client's own name for it: the service sends its generation id. */
  token: id,
  render_id: id,
  kind: oneOf(kinds),
  /** Queued and running both hold a place in the account's limits. */
  status: oneOf(renderStatuses),
  prompt_id: id,
  project_id: id,
  cost_millicredits: millicredits,
  /** The ledger entry of the charge. */
  ledger_seq: sequence,
  expected_outputs: Type.Integer({ minimum: 0, maximum: 64 }),
  outputs: Type.Array(RenderOutput, { maxItems: 64 }),
  /** `partial_failure` beside status succeeded; else only with status failed. Failed renders are refunded. */
  error: nullable(
    Type.Object({
      code: shortText,
      message: longText,
      /** How far it was when it failed, of `failureStages`; left out where nothing was begun, or nobody can tell. */
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
/** The same token gets the same answer again; only `busy` is not remembered. */
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
/** Tokens that the account never submitted are left out. */
export const LookupAnswer = Type.Object({
  renders: Type.Array(Render, { maxItems: 200 }),
  ledger_seq: sequence,
});

/**
 * `stopping`: it ends as soon as its engine lets go of it, with what is made by then. `ended`: it has come to its end; by
 * itself where `was_ended`, else by this or an earlier stop. `too_late`: its engine finishes what it has begun, and nothing of it is left to stop.
 */
export const StopAnswer = Type.Object({
  outcome: oneOf(['stopping', 'ended', 'too_late'] as const),
  was_ended: Type.Boolean(),
  render: Render,
});
export type StopAnswer = Static<typeof StopAnswer>;

/** After `barred` no submit of that token will ever be accepted; `known` hands out the render instead. */
export const TombstoneAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('barred') }),
  Type.Object({ outcome: Type.Literal('known'), render: Render }),
]);
