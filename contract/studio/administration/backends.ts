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

/** `studio/sql/functions/backend_json.sql` decides the state. */
export const backendStates = ['ready', 'busy', 'resting', 'down', 'draining', 'off'] as const;
export type BackendState = (typeof backendStates)[number];

const seconds = Type.Number({ minimum: 0 });
/** An amount of money in the currency of the provider. */
const money = Type.Number({ minimum: 0, maximum: 1e12 });

/**
 * How long the jobs of a model took at a backend: for the newest 1,000 that succeeded there within the last 24 hours.
 */
const ModelTimes = Type.Object({
  model: id,
  jobs: count,
  /** Medians, in seconds. The wait is from the acceptance of a render to its first job. */
  median_wait_seconds: nullable(seconds),
  median_run_seconds: nullable(seconds),
});

export const ManagedBackend = Type.Object({
  name: id,
  engine: shortText,
  /** True when the engine runs inside the worker processes and has no address. */
  is_local: Type.Boolean(),
  /** True when it comes with the product: it can be drained but not removed. */
  built_in: Type.Boolean(),
  url: nullable(link),
  state: oneOf(backendStates),
  /** A sentence that explains the state, if there is an explanation. */
  reason: nullable(longText),
  /** When its state began. */
  since: time,
  /** `null` for a local engine: each worker runs its own number of jobs at once. */
  slots: nullable(count),
  in_use: count,
  labels: Type.Array(shortText, { maxItems: 200 }),
  /** The version that the backend reports. */
  version: nullable(shortText),
  vram_bytes: nullable(Type.Integer({ minimum: 0 })),
  /** Offered models whose weights the backend has loaded, according to the last jobs sent there. */
  loaded: Type.Array(id, { maxItems: 100 }),
  times: Type.Array(ModelTimes, { maxItems: 200 }),
  last_fault: nullable(Type.Object({ at: time, code: shortText, message: longText })),
  max_cost_per_day: nullable(money),
  currency: nullable(shortText),
  /** The amount spent and reserved on this UTC day. */
  cost_today: money,
  /** True when the backend also gets renders that earn less than they cost. */
  allow_loss: Type.Boolean(),
  /** Secrets are never shown. */
  has_secret: Type.Boolean(),
  has_headers: Type.Boolean(),
});
export type ManagedBackend = Static<typeof ManagedBackend>;

export const BackendsAnswer = Type.Object({ backends: Type.Array(ManagedBackend, { maxItems: 1_000 }) });

/** Whether a route of an offered model works at a backend, according to the last check. */
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
  /** Sent in the form that the provider requires; stored encrypted and never shown again. */
  secret: Type.Optional(Type.String({ minLength: 1, maxLength: 8_000 })),
  /**
   * Sent with each request, and stored like the secret. They are added to the existing headers; an empty value removes
   * a header.
   */
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

/** Omitted fields stay unchanged; `max_cost_per_day: null` removes the limit. */
export const ChangeBackendRequest = closed(settings);
export type ChangeBackendRequest = Static<typeof ChangeBackendRequest>;

export const DrainBackendRequest = closed({
  /** After this many seconds, jobs that still run there are canceled and put back. `null`: they may finish. */
  within_seconds: orNull(Type.Integer({ minimum: 0, maximum: 604_800 })),
});

/** The result of each step that a driver relies on, tested with separate jobs. */
export const FullCheckAnswer = Type.Object({
  steps: Type.Array(
    Type.Object({
      name: shortText,
      ok: Type.Boolean(),
      /**
       * False when the step was not tested, because the engine does not have it or it would cost money. Earlier studios
       * omit this field.
       */
      walked: Type.Optional(Type.Boolean()),
      message: longText,
      seconds,
    }),
    { maxItems: 100 },
  ),
});

export const ProviderCostsQuery = closed({
  /** The number of UTC days, including today. Default 30. */
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_660 })),
});

/** What the provider of a backend was paid on a day, and what users paid for the outputs. */
export const ProviderCostsAnswer = Type.Object({
  /** Newest first. */
  costs: Type.Array(
    Type.Object({
      /** In UTC, such as `2026-11-22`. */
      day: shortText,
      backend: id,
      currency: shortText,
      spent: money,
      /** Reserved for running jobs, and for jobs with an unknown outcome. */
      reserved: money,
      jobs: count,
      /** What users paid for the outputs of these jobs, minus refunds. */
      credits: Type.Number(),
      /** `credits` in the provider's currency; `null` when a credit has no value in this currency. */
      credits_worth: nullable(Type.Number()),
    }),
    { maxItems: 100_000 },
  ),
});
export type ProviderCost = Static<typeof ProviderCostsAnswer>['costs'][number];

/** `token` is the id that the service gave the render. */
export const RenderErrorsParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });

/** The errors of jobs of one of the administrator's own renders. The path and the key are still those of release 1. */
export const RenderErrorsAnswer = Type.Object({
  /** In the order of their times. */
  faults: Type.Array(
    Type.Object({
      at: time,
      backend: id,
      code: shortText,
      stage: nullable(shortText),
      /** The engine's own message, which may contain nodes, fields, hosts and files; `null` when there was none. */
      reason: nullable(longText),
    }),
    { maxItems: 100 },
  ),
});

export const RemovedBackend = Type.Object({ name: id, removed: Type.Literal(true) });
