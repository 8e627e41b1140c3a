import { Type, type Static } from 'typebox';
import {
  closed,
  count,
  id,
  link,
  longText,
  nullable,
  oneOf,
  orNull,
  shortText,
  time,
} from '../schemas/schema-builders.ts';
import { ManifestProblem } from './models.ts';

export const backendStates = ['ready', 'busy', 'resting', 'down', 'draining', 'off'] as const;
export type BackendState = (typeof backendStates)[number];

const seconds = Type.Number({ minimum: 0 });
/** Money of a provider, in its currency. */
const money = Type.Number({ minimum: 0, maximum: 1e12 });

/** How long jobs of a model took at a backend: of the newest 1,000 there that ended well within the last 24 hours. */
const ModelTimes = Type.Object({
  model: id,
  jobs: count,
  /** Medians, in seconds. The wait is that of renders from their acceptance to their first job. */
  median_wait_seconds: nullable(seconds),
  median_run_seconds: nullable(seconds),
});

export const ManagedBackend = Type.Object({
  name: id,
  engine: shortText,
  /** Runs in the workers' own processes, and has no address. */
  is_local: Type.Boolean(),
  /** Comes with the product: it can be drained, and not removed. */
  built_in: Type.Boolean(),
  url: nullable(link),
  state: oneOf(backendStates),
  /** A sentence, where there is something to say. */
  reason: nullable(longText),
  /** When its state began. */
  since: time,
  /** Null of a local engine: as many as each worker makes at once. */
  slots: nullable(count),
  in_use: count,
  labels: Type.Array(shortText, { maxItems: 200 }),
  /** What it says of itself. */
  version: nullable(shortText),
  vram_bytes: nullable(Type.Integer({ minimum: 0 })),
  /** Models on offer whose weights it holds, by what was sent there last. */
  loaded: Type.Array(id, { maxItems: 100 }),
  times: Type.Array(ModelTimes, { maxItems: 200 }),
  last_fault: nullable(Type.Object({ at: time, code: shortText, message: longText })),
  max_cost_per_day: nullable(money),
  currency: nullable(shortText),
  /** Spent and reserved on this UTC day. */
  cost_today: money,
  /** Renders go there that earn less than they cost. */
  allow_loss: Type.Boolean(),
  /** Secrets are never shown. */
  has_secret: Type.Boolean(),
  has_headers: Type.Boolean(),
});
export type ManagedBackend = Static<typeof ManagedBackend>;

export const BackendsAnswer = Type.Object({ backends: Type.Array(ManagedBackend, { maxItems: 1_000 }) });

/** Whether a route of a model on offer works at a backend, as it was found when it was last looked at. */
const RouteFit = Type.Object({
  model: id,
  route: shortText,
  fits: Type.Boolean(),
  problems: Type.Array(ManifestProblem, { maxItems: 200 }),
});

export const BackendDetail = Type.Object({
  ...ManagedBackend.properties,
  routes: Type.Array(RouteFit, { maxItems: 5_000 }),
});
export type BackendDetail = Static<typeof BackendDetail>;

export const BackendParams = Type.Object({ name: id });

const settings = {
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  slots: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  labels: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 63 }), { maxItems: 50 })),
  /** Sent as the provider wants it; kept encrypted and never shown again. */
  secret: Type.Optional(Type.String({ minLength: 1, maxLength: 8_000 })),
  /** Sent with each request, and kept as the secret is. They are added to those that it has; an empty one goes. */
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 8_000 }), { maxProperties: 50 }),
  ),
  max_cost_per_day: Type.Optional(orNull(Type.Number({ minimum: 0, maximum: 1e8 }))),
  /** ISO 4217. */
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  allow_loss: Type.Optional(Type.Boolean()),
};

export const AddBackendRequest = closed({
  name: Type.String({ minLength: 1, maxLength: 63 }),
  engine: Type.String({ minLength: 1, maxLength: 63 }),
  ...settings,
});
export type AddBackendRequest = Static<typeof AddBackendRequest>;

/** What is left out stays; `max_cost_per_day: null` takes the limit away. */
export const ChangeBackendRequest = closed(settings);
export type ChangeBackendRequest = Static<typeof ChangeBackendRequest>;

export const DrainBackendRequest = closed({
  /** After so many seconds what still runs there is canceled and given back. Null: it may end. */
  within_seconds: orNull(Type.Integer({ minimum: 0, maximum: 604_800 })),
});

/** Each step of what a driver relies on, tried by jobs of its own. */
export const FullCheckAnswer = Type.Object({
  steps: Type.Array(
    Type.Object({
      name: shortText,
      ok: Type.Boolean(),
      /** False where nothing was tried: the engine has no such step, or it would cost money. A studio before it says nothing. */
      walked: Type.Optional(Type.Boolean()),
      message: longText,
      seconds,
    }),
    { maxItems: 100 },
  ),
});

export const ProviderCostsQuery = closed({
  /** UTC days, today included; 30 where it is left out. */
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_660 })),
});

/** What a backend's provider got on a day, beside what users paid for what it made. */
export const ProviderCostsAnswer = Type.Object({
  /** Newest first. */
  costs: Type.Array(
    Type.Object({
      /** UTC, `2026-11-22`. */
      day: shortText,
      backend: id,
      currency: shortText,
      spent: money,
      /** Set aside for jobs that run, and for those of which nobody can tell whether they were made. */
      reserved: money,
      jobs: count,
      /** What users paid for the outputs of these jobs, less what they got back. */
      credits: Type.Number(),
      /** The same in the provider's currency; null where a credit has no worth in it. */
      credits_worth: nullable(Type.Number()),
    }),
    { maxItems: 100_000 },
  ),
});
export type ProviderCost = Static<typeof ProviderCostsAnswer>['costs'][number];

/** The id that a service gave its render. */
export const RenderErrorsParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });

/** What jobs of one of the administrator's own renders failed by. Path and key are those of release 1. */
export const RenderErrorsAnswer = Type.Object({
  /** In order. */
  faults: Type.Array(
    Type.Object({
      at: time,
      backend: id,
      code: shortText,
      stage: nullable(shortText),
      /** In the engine's words, which may name nodes, fields, hosts and files; null where it said nothing. */
      reason: nullable(longText),
    }),
    { maxItems: 100 },
  ),
});

export const RemovedBackend = Type.Object({ name: id, removed: Type.Literal(true) });
