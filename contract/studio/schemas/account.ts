import { Type, type Static } from 'typebox';
import {
  count,
  id,
  link,
  millicredits,
  nullable,
  oneOf,
  sequence,
  shortText,
  time,
} from './schema-builders.ts';

export const Metadata = Type.Object({
  studio_id: id,
  issuer: link,
  version: shortText,
  /** The number of worker processes that reported within the last seconds. Omitted by studios that do not report it. */
  workers_alive: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Whether the studio supports `readProgress`. */
  progress: Type.Optional(Type.Boolean()),
  /** Whether the studio supports `stopRender`. */
  stops: Type.Optional(Type.Boolean()),
  /** Whether the studio supports `createSharedQuotes`. */
  shared_quotes: Type.Optional(Type.Boolean()),
  /** Whether the studio has the operations of `administration/`. Default: false. */
  administration: Type.Optional(Type.Boolean()),
});

/** `studio/src/accounts/account-state.ts` decides the state. */
export const accountStates = ['ok', 'suspended', 'email_not_verified', 'region_blocked'] as const;
export const StudioAccount = Type.Object({
  id,
  email: nullable(shortText),
  name: nullable(shortText),
  username: nullable(shortText),
  tier: nullable(Type.Object({ key: nullable(shortText), name: nullable(shortText) })),
  organization: Type.Boolean(),
  age_verified: Type.Boolean(),
  state: oneOf(accountStates),
  capabilities: Type.Object({
    audio_upload: Type.Boolean(),
    video_upload: Type.Boolean(),
    uploads: Type.Boolean(),
    custom_models: Type.Boolean(),
    character_creation_modes: Type.Array(shortText, { maxItems: 20 }),
  }),
  catalog_version: id,
  /** Whether the account may call the operations of `administration/`. */
  administrator: Type.Optional(Type.Boolean()),
});
export type StudioAccount = Static<typeof StudioAccount>;

export const StudioBalance = Type.Object({
  monthly_millicredits: millicredits,
  lifetime_millicredits: millicredits,
  allowance_millicredits: nullable(millicredits),
  next_refill: nullable(time),
  /** The amounts above include the ledger's entries up to this one. */
  ledger_seq: sequence,
  catalog_version: id,
  plan: nullable(shortText),
});
export type StudioBalance = Static<typeof StudioBalance>;

const laneLimit = Type.Object({ limit: count, running: count, running_elsewhere: count });
/** `studio/sql/functions/limits_json.sql` counts; `accept_renders.sql` beside it refuses. */
export const StudioLimits = Type.Object({
  overall: laneLimit,
  image: laneLimit,
  edit: laneLimit,
  video: laneLimit,
});
export type StudioLimits = Static<typeof StudioLimits>;
