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
  /** Worker processes that were heard of within the last seconds. A studio that does not tell it leaves it out. */
  workers_alive: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Whether it answers `readProgress`. */
  progress: Type.Optional(Type.Boolean()),
  /** Whether it answers `stopRender`. */
  stops: Type.Optional(Type.Boolean()),
  /** Whether it answers `createSharedQuotes`. */
  shared_quotes: Type.Optional(Type.Boolean()),
  /** It has the operations of `administration/`. Left out: it has not. */
  administration: Type.Optional(Type.Boolean()),
});

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
  /** May call the operations of `administration/`. */
  administrator: Type.Optional(Type.Boolean()),
});
export type StudioAccount = Static<typeof StudioAccount>;

export const StudioBalance = Type.Object({
  monthly_millicredits: millicredits,
  lifetime_millicredits: millicredits,
  allowance_millicredits: nullable(millicredits),
  next_refill: nullable(time),
  /** The ledger's entries up to this one are in the amounts above. */
  ledger_seq: sequence,
  catalog_version: id,
  plan: nullable(shortText),
});
export type StudioBalance = Static<typeof StudioBalance>;

const laneLimit = Type.Object({ limit: count, running: count, running_elsewhere: count });
export const StudioLimits = Type.Object({
  overall: laneLimit,
  image: laneLimit,
  edit: laneLimit,
  video: laneLimit,
});
export type StudioLimits = Static<typeof StudioLimits>;
