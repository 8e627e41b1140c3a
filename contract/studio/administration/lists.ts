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

// Plans and styles are published whole: what is sent is the whole list, in its order.

const listVersion = Type.Integer({ minimum: 0, maximum: 1e9 });
const slots = Type.Integer({ minimum: 0, maximum: 10_000 });
export const maxPlans = 100;

/** A plan with the keys of `plans.yaml`; the first of the list is that of new accounts. */
export const Plan = closed({
  key: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  /** With three decimals at most. */
  monthly_credits: Type.Number({ minimum: 0, maximum: 1e9 }),
  /** Renders at once. */
  limits: closed({ image: slots, edit: slots, video: slots, overall: slots }),
  capabilities: closed({
    uploads: Type.Boolean(),
    audio_upload: Type.Boolean(),
    video_upload: Type.Boolean(),
    custom_models: Type.Boolean(),
    character_creation_modes: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20 }),
  }),
  /** Its accounts' share of the engines against that of others; 1 is usual. */
  weight: Type.Number({ minimum: 0.01, maximum: 1_000 }),
  storage_bytes: Type.Integer({ minimum: 0, maximum: 2 ** 50 }),
  /** What a render gives back that is stopped after an engine has begun with it. */
  stop_refund: choice(['none', 'full']),
});
export type Plan = Static<typeof Plan>;
const plans = Type.Array(Plan, { minItems: 1, maxItems: maxPlans });

/** Newest first, the one in force among them; left out by a studio that does not tell. */
const versions = Type.Optional(
  Type.Array(Type.Object({ version: listVersion, created_at: time }), { maxItems: 100 }),
);

/** The whole of a list as it was published once: sent as changed plans or styles it goes back to that. */
export const ListVersionParams = Type.Object({ version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) });

export const PlansAnswer = Type.Object({
  version: listVersion,
  plans,
  versions,
  /** How many accounts have each plan, by its key. */
  accounts: Type.Record(Type.String(), count),
});

export const Style = closed({
  id: Type.String({ minLength: 1, maxLength: 200 }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  type: choice(['image', 'video']),
  /** What it adds to a prompt. */
  words: Type.String({ minLength: 1, maxLength: 2_000 }),
});
export type Style = Static<typeof Style>;
const styles = Type.Array(Style, { minItems: 1, maxItems: 2_000 });

export const StylesAnswer = Type.Object({ version: listVersion, styles, versions });

export const PlansVersion = Type.Object({ version: listVersion, plans });
export const StylesVersion = Type.Object({ version: listVersion, styles });

export const PreviewPlansRequest = closed({ plans });
export const PreviewStylesRequest = closed({ styles });

/** `version` is that of the list that was edited: `conflict` where another one was published since. */
export const PublishPlansRequest = closed({ version: listVersion, plans });
export const PublishStylesRequest = closed({ version: listVersion, styles });

/** What a list that is not published yet would change, one entry for each plan or style. */
export const ListPreview = Type.Object({
  changes: Type.Array(
    Type.Object({
      /** Key of the plan, id of the style. */
      id,
      name: shortText,
      change: oneOf(['added', 'removed', 'changed'] as const),
      differences: Type.Array(Difference, { maxItems: 100 }),
      /** Accounts that it changes something for; null: all of them. */
      accounts: nullable(count),
      /** Why it cannot be published so. */
      problem: nullable(longText),
    }),
    { maxItems: 4_000 },
  ),
  /** The order changes, and with that maybe the plan of new accounts. */
  reordered: Type.Boolean(),
});
export type ListPreview = Static<typeof ListPreview>;

export const PublishedList = Type.Object({
  version: listVersion,
  /** False: it was published already, just so. */
  changed: Type.Boolean(),
});
