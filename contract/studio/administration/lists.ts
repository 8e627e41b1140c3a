import { Type, type Static } from 'typebox';
import {
  choice,
  closed,
  count,
  id,
  longText,
  nullable,
  oneOf,
  shortText,
  time,
} from '../schemas/schema-builders.ts';
import { Difference } from './models.ts';

// Plans and styles are published as a whole: a request contains the complete list, in its order.

const listVersion = Type.Integer({ minimum: 0, maximum: 1e9 });
const slots = Type.Integer({ minimum: 0, maximum: 10_000 });
export const maxPlans = 100;

/**
 * A plan with the keys of `plans.yaml`. New accounts get the first plan of the list. `studio/src/catalog/read-list.ts`
 * checks a list; `studio/src/catalog/publish.ts` publishes it.
 */
export const Plan = closed({
  key: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  /** At most three decimals. */
  monthly_credits: Type.Number({ minimum: 0, maximum: 1e9 }),
  /** The maximum number of renders at once. */
  limits: closed({ image: slots, edit: slots, video: slots, overall: slots }),
  capabilities: closed({
    uploads: Type.Boolean(),
    audio_upload: Type.Boolean(),
    video_upload: Type.Boolean(),
    custom_models: Type.Boolean(),
    character_creation_modes: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20 }),
  }),
  /** The share of the engines for its accounts, relative to other plans; usually 1. */
  weight: Type.Number({ minimum: 0.01, maximum: 1_000 }),
  storage_bytes: Type.Integer({ minimum: 0, maximum: 2 ** 50 }),
  /** The refund for a render that is stopped after an engine has started it. */
  stop_refund: choice(['none', 'full']),
});
export type Plan = Static<typeof Plan>;
const plans = Type.Array(Plan, { minItems: 1, maxItems: maxPlans });

/** Newest first, including the current version. Omitted by studios that do not report it. */
const versions = Type.Optional(
  Type.Array(Type.Object({ version: listVersion, created_at: time }), { maxItems: 100 }),
);

/** The version of a complete list that was published before. Publishing its content again restores it. */
export const ListVersionParams = Type.Object({ version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) });

export const PlansAnswer = Type.Object({
  version: listVersion,
  plans,
  versions,
  /** The number of accounts of each plan, by the plan's key. */
  accounts: Type.Record(Type.String(), count),
});

export const Style = closed({
  id: Type.String({ minLength: 1, maxLength: 200 }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  type: choice(['image', 'video']),
  /** The words that the style adds to a prompt. */
  words: Type.String({ minLength: 1, maxLength: 2_000 }),
});
export type Style = Static<typeof Style>;
const styles = Type.Array(Style, { minItems: 1, maxItems: 2_000 });

export const StylesAnswer = Type.Object({ version: listVersion, styles, versions });

export const PlansVersion = Type.Object({ version: listVersion, plans });
export const StylesVersion = Type.Object({ version: listVersion, styles });

export const PreviewPlansRequest = closed({ plans });
export const PreviewStylesRequest = closed({ styles });

/** `version` is the version of the edited list; the answer is `conflict` when another version was published since. */
export const PublishPlansRequest = closed({ version: listVersion, plans });
export const PublishStylesRequest = closed({ version: listVersion, styles });

/** The effect of publishing a list, with one entry for each plan or style. */
export const ListPreview = Type.Object({
  changes: Type.Array(
    Type.Object({
      /** The key of the plan or the id of the style. */
      id,
      name: shortText,
      change: oneOf(['added', 'removed', 'changed'] as const),
      differences: Type.Array(Difference, { maxItems: 100 }),
      /** The number of accounts that are affected; `null` means all. */
      accounts: nullable(count),
      /** Why it cannot be published in this form. */
      problem: nullable(longText),
    }),
    { maxItems: 4_000 },
  ),
  /** True when the order changes. That may also change the plan of new accounts. */
  reordered: Type.Boolean(),
});
export type ListPreview = Static<typeof ListPreview>;

export const PublishedList = Type.Object({
  version: listVersion,
  /** False when the same content was already published. */
  changed: Type.Boolean(),
});
