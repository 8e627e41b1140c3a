import type { Problem } from './problem-codes.ts';
import type { EnginePreview, EngineProgress } from './report.ts';
import type { JsonValue, Route } from './route.ts';
import type { TargetSpecs } from './target-spec.ts';

/**
 * What a driver for an engine behind an address has to do. The worker decides when and where, commits a row before each
 * submit, and stores the outcome. A driver implements one protocol and keeps nothing that a restart would lose. The
 * drivers of all engines are listed in `engines/registry/src/drivers.ts`.
 */
export interface Driver extends AsyncDisposable {
  /**
   * Prepares a job: uploads its media, named by their content, and builds the call. The caller may repeat this, also in
   * another process, and gets the same result. @throws EngineFailure
   */
  prepare(job: EngineJob, signal: AbortSignal): Promise<Prepared>;
  /**
   * Sends exactly one request and never repeats it. `id` is the submission's UUID; the driver sends it where the
   * protocol allows that. @throws EngineFailure whose `sent` shows whether the engine may still have the job
   */
  submit(prepared: Prepared, id: string, signal: AbortSignal): Promise<Handle>;
  /**
   * Looks for a submission whose answer was lost. `since`: when its row was committed. Finds a job by the submission's
   * id or by the values of `uniqueTargets`, never by similar content. `locate` in `studio/src/renders/send-job.ts`
   * decides what follows. @throws EngineFailure where the engine cannot be asked now
   */
  find(prepared: Prepared, id: string, since: Date, signal: AbortSignal): Promise<Found>;
  /**
   * Follows a job to its end. Yields any number of progress reports and previews, then one result as the last item.
   * Puts the files into `folder`, unchanged. Any process may begin this again at any time.
   * Some engines answer only when the job is finished. For these, `submit` ends once the request is sent, and this
   * method waits for the answer. In any other process the outcome of such a job is unknown.
   * @throws EngineFailure for every other end. `engine_unavailable` is no end: the engine cannot be asked now. The
   * signal's reason
   */
  follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncIterable<EngineProgress | EnginePreview | EngineResult>;
  /**
   * Cancels a job, and never the job of somebody else. `unknown`: the job goes on, and the worker follows it to its
   * end. A job that cannot be stopped is left alone.
   */
  cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'>;
  /**
   * Called once the end of the submission is committed: frees what this process still holds for it. Absent where it
   * holds nothing.
   */
  forget?(handle: Handle): void;
  /** Makes a cheap request to see whether the engine answers. @throws EngineFailure with the reason, for an operator */
  probe(signal: AbortSignal): Promise<EngineHealth>;
  /**
   * Returns the problems that keep a route from running here; empty where there are none. @throws EngineFailure where
   * the engine cannot be asked
   */
  check(route: RouteFiles, signal: AbortSignal): Promise<Problem[]>;
  /**
   * Returns what the inputs that a route sets accept here; absent where the engine cannot report it.
   * @throws EngineFailure
   */
  targets?(route: RouteFiles, signal: AbortSignal): Promise<TargetSpecs>;
}

/** Creates a driver for one backend. */
export type CreateDriver = (tools: DriverTools) => Driver;

/** A route with the files that its manifest names. */
export interface RouteFiles {
  readonly route: Route;
  /** Texts of the files by their names in the manifest: the workflow. */
  readonly files: ReadonlyMap<string, string>;
}

export interface EngineJob extends RouteFiles {
  /** The submission's UUID, in lower case. */
  readonly id: string;
  /** The values of the route's targets, in the route's order. */
  readonly values: readonly BoundValue[];
  /**
   * Targets whose value is unique to this submission. They identify its job where the protocol takes no id; without
   * them nothing does.
   */
  readonly uniqueTargets?: readonly string[];
  /** Files wanted: at most the route's `max_per_job`. */
  readonly outputs: number;
}

export type BoundValue = { readonly target: string } & (
  | { readonly kind: 'plain'; readonly value: JsonValue }
  /** The key is removed. */
  | { readonly kind: 'remove' }
  /** `several`: a list, even with a single medium. */
  | { readonly kind: 'media'; readonly media: readonly PreparedMedia[]; readonly several: boolean }
);

/** A file made for the engine: at the working size, without metadata. */
export interface PreparedMedia {
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
  readonly contentType: 'image/png' | 'image/jpeg' | 'video/mp4' | 'audio/wav' | 'audio/mpeg';
  readonly sizeBytes: number;
}

/** The driver's own format. JSON; at most a few kilobytes except for the call itself. */
export type Prepared = JsonValue;
/**
 * What is needed to follow a job later, also in another process; stored in its row. Where the engine names its jobs
 * itself, this is the name, or an object whose `id` is the name.
 */
export type Handle = JsonValue;

/**
 * The outcome of a submission whose answer was lost. `absent`: the engine certainly never had it. `unknown`: not known,
 * or not known yet. `unknowable`: it can never be known, so asking again is useless.
 */
export type Found = { readonly handle: Handle } | 'absent' | 'unknown' | 'unknowable';

export interface FollowedJob extends RouteFiles {
  readonly id: string;
  readonly outputs: number;
  /** A folder on this machine for the results of this job only. */
  readonly folder: string;
}

export interface EngineResult {
  readonly type: 'result';
  /**
   * In order, without those beyond the number wanted; there may be fewer. The bytes of the files are not checked yet.
   */
  readonly files: readonly { readonly path: string; readonly nsfw?: boolean }[];
  /** The cost that the provider reports, in the currency of the route. */
  readonly cost?: number;
}

export interface EngineHealth {
  /** The engine's own text. */
  readonly version: string | null;
  /** When this changes, the engine's nodes and files may have changed too. */
  readonly digest: string | null;
  /** Jobs that wait or run there, from us and from others; `null` where the engine does not report it. */
  readonly queue: number | null;
  readonly vramBytes: number | null;
}

export interface DriverTools {
  readonly backend: BackendAccess;
  readonly log: DriverLog;
  /**
   * A folder on this machine that outlives its processes, for files of a local engine; absent where there are no
   * workers.
   */
  readonly folder?: string | undefined;
  /** For tests: shorter waits between polls. Milliseconds. */
  readonly pollMs?: { readonly first: number; readonly quiet: number };
}

export interface DriverLog {
  warn(details: object, message: string): void;
  debug(details: object, message: string): void;
}

export interface BackendAccess {
  readonly name: string;
  /** The operator's address, private or public: the origin, and the path before the protocol's own paths. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Key or token, unencrypted. */
  readonly secret: string | undefined;
  /** Networks that are allowed in addition to public ones for addresses that a provider names: `EGRESS_ALLOW`. */
  readonly egressAllow: readonly string[];
}

/**
 * `error.code` of a render that an engine could not make. A closed list: users see it. Users read the sentences of
 * `service/src/generations/settle/failure-sentences.ts`.
 */
export type EngineFailureCode =
  /** The provider's moderation refused it. */
  | 'moderation_blocked'
  /** A value is wrong that only the engine could check. */
  | 'invalid_request'
  | 'render_timeout'
  | 'out_of_memory'
  | 'engine_unavailable'
  /** The engine may have made the result, but this cannot be known. */
  | 'outcome_unknown'
  | 'render_failed';

/**
 * `failedEnd` in `studio/src/renders/submission-failure.ts` and `end-submission.ts` beside it decide by these whether
 * the render gets another try. `run-submission.ts` beside them closes a route on a backend, or lets the backend rest.
 */
export interface EngineFailureOptions extends ErrorOptions {
  /**
   * Who is at fault. `render`: no other backend would succeed. `pair`: this route does not work on this backend, or
   * this job is too large for it. `backend`: another backend may succeed, and this one gets a pause.
   */
  readonly blame: 'render' | 'pair' | 'backend';
  readonly code: EngineFailureCode;
  /** Whether the engine may have the job. Only for `submit`; default `yes`. */
  readonly sent?: 'no' | 'unknown' | 'yes';
  /** For blame `pair`: a smaller job of the route would work there. Default: true for `out_of_memory`. */
  readonly tooLarge?: boolean;
  /** Target of the route whose value is wrong. */
  readonly target?: string;
  /**
   * The engine certainly did not begin the job and bills nothing for it, although it had the whole request. This is a
   * refusal in `follow`, of an engine that answers only when the job is finished. Only for `follow`; `submit` has
   * `sent`.
   */
  readonly untaken?: boolean;
  /** Seconds that the engine asks to wait before the next request. */
  readonly retryAfterSeconds?: number;
  /** The failure stays until an operator acts: a wrong key, no credit. */
  readonly lasting?: boolean;
  /** The result came but was useless. From a paid provider, it is fetched again but never bought again. */
  readonly badResult?: boolean;
  /** For a bad result: its location could not be reached, or was busy. It may be available later. */
  readonly away?: boolean;
}

/** The only error that a driver throws on purpose. The message is for an operator and may contain nodes and hosts. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly blame: EngineFailureOptions['blame'];
  readonly code: EngineFailureCode;
  readonly sent: 'no' | 'unknown' | 'yes';
  readonly tooLarge: boolean;
  readonly target: string | undefined;
  readonly untaken: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly lasting: boolean;
  readonly badResult: boolean;
  readonly away: boolean;

  constructor(message: string, options: EngineFailureOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.blame = options.blame;
    this.code = options.code;
    this.sent = options.sent ?? 'yes';
    this.tooLarge = options.tooLarge ?? options.code === 'out_of_memory';
    this.target = options.target;
    this.untaken = options.untaken ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.lasting = options.lasting ?? false;
    this.badResult = options.badResult ?? false;
    this.away = options.away ?? false;
  }
}
