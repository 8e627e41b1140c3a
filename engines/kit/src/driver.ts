import type { Problem } from './problem-codes.ts';
import type { EnginePreview, EngineProgress } from './report.ts';
import type { JsonValue, Route } from './route.ts';
import type { TargetSpecs } from './target-spec.ts';

/**
 * What an engine behind an address has to do. The worker decides when and where, commits a row before each submit, and
 * keeps what became of it; a driver speaks one protocol and remembers nothing that a restart would lose.
 */
export interface Driver extends AsyncDisposable {
  /**
   * Makes a job ready: uploads its media, named by their content, and puts the call together. May be repeated, also by
   * another process, and gives the same. @throws EngineFailure
   */
  prepare(job: EngineJob, signal: AbortSignal): Promise<Prepared>;
  /**
   * Exactly one request, never repeated in here. `id` is the submission's UUID and goes along wherever the protocol lets
   * it. @throws EngineFailure whose `sent` says whether the engine may have the job all the same
   */
  submit(prepared: Prepared, id: string, signal: AbortSignal): Promise<Handle>;
  /**
   * Looks for a submission whose answer was lost. `since`: when its row was committed. A job is found by the submission's id, or
   * by the values of `uniqueTargets`, never because it is alike. @throws EngineFailure where the engine cannot be asked now
   */
  find(prepared: Prepared, id: string, since: Date, signal: AbortSignal): Promise<Found>;
  /**
   * Follows a job to its end: any progress, then one result, the last that is yielded. Files lie in `folder`, as they
   * came. May be begun anew at any time by any process. An engine that answers only when it is done is waited for here: its
   * submission is over once the request is on its way, and in any other process its outcome is unknown.
   * @throws EngineFailure for every other end, and `engine_unavailable` where it cannot be asked now, which is no end; the
   * signal's reason
   */
  follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncIterable<EngineProgress | EnginePreview | EngineResult>;
  /**
   * Never ends anybody else's job. `unknown`: the job goes on, and is followed to its end; one that cannot be stopped is not
   * touched.
   */
  cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'>;
  /** Called once the end of the submission is committed: frees what this process still holds for it. Absent where that is nothing. */
  forget?(handle: Handle): void;
  /** A cheap sign of life. @throws EngineFailure with the reason, for an operator */
  probe(signal: AbortSignal): Promise<EngineHealth>;
  /** What keeps a route from running here; empty where nothing does. @throws EngineFailure where it cannot be asked */
  check(route: RouteFiles, signal: AbortSignal): Promise<Problem[]>;
  /** What the inputs that a route sets take here; absent where the engine does not say. @throws EngineFailure */
  targets?(route: RouteFiles, signal: AbortSignal): Promise<TargetSpecs>;
}

/** A driver for one backend. */
export type CreateDriver = (tools: DriverTools) => Driver;

/** A route with the files that its manifest names. */
export interface RouteFiles {
  readonly route: Route;
  /** Texts by the names that the manifest gives: the workflow. */
  readonly files: ReadonlyMap<string, string>;
}

export interface EngineJob extends RouteFiles {
  /** The submission's UUID, in small letters. */
  readonly id: string;
  /** What the route's targets are set to, in the route's order. */
  readonly values: readonly BoundValue[];
  /** Targets whose value no other submission has: where the protocol takes no id, its job is known by them. None: by nothing. */
  readonly uniqueTargets?: readonly string[];
  /** Files wanted: at most the route's `max_per_job`. */
  readonly outputs: number;
}

export type BoundValue = { readonly target: string } & (
  | { readonly kind: 'plain'; readonly value: JsonValue }
  /** The key goes. */
  | { readonly kind: 'remove' }
  /** `several`: a list even where there is one. */
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

/** The driver's own; JSON, a few kilobytes at most but for the call itself. */
export type Prepared = JsonValue;
/**
 * What is needed to follow a job later and elsewhere; kept in its row. Where the engine names its jobs itself, the name, or an
 * object whose `id` it is.
 */
export type Handle = JsonValue;

/**
 * What became of a submission whose answer was lost. `absent`: it is certain that the engine never had it. `unknown`: nobody can
 * tell, or not yet. `unknowable`: nor will anybody, however long it is asked for.
 */
export type Found = { readonly handle: Handle } | 'absent' | 'unknown' | 'unknowable';

export interface FollowedJob extends RouteFiles {
  readonly id: string;
  readonly outputs: number;
  /** A folder of this job's own on this machine, for its results. */
  readonly folder: string;
}

export interface EngineResult {
  readonly type: 'result';
  /** In order; more than were wanted are left out, fewer are fewer. Nothing is known of their bytes. */
  readonly files: readonly { readonly path: string; readonly nsfw?: boolean }[];
  /** What the provider says that it was, in the currency of the route. */
  readonly cost?: number;
}

export interface EngineHealth {
  /** As the engine says it. */
  readonly version: string | null;
  /** What has changed where this has: nodes and files may be others. */
  readonly digest: string | null;
  /** Jobs that wait or run there, ours and others'; null where it does not say. */
  readonly queue: number | null;
  readonly vramBytes: number | null;
}

export interface DriverTools {
  readonly backend: BackendAccess;
  readonly log: DriverLog;
  /** A folder of this machine that outlives its processes, for what a local engine keeps; none where there are no workers. */
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
  /** The operator's word, private or public; origin and path before the protocol's own. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Key or token in clear. */
  readonly secret: string | undefined;
  /** Networks that addresses named by a provider may lie in beside public ones: `EGRESS_ALLOW`. */
  readonly egressAllow: readonly string[];
}

/** `error.code` of a render that an engine could not make. A closed list: users see it. */
export type EngineFailureCode =
  /** The provider's moderation refused it. */
  | 'moderation_blocked'
  /** A value that only the engine saw is wrong. */
  | 'invalid_request'
  | 'render_timeout'
  | 'out_of_memory'
  | 'engine_unavailable'
  /** It may have been made, and nobody can tell. */
  | 'outcome_unknown'
  | 'render_failed';

export interface EngineFailureOptions extends ErrorOptions {
  /**
   * Whose fault it is. `render`: no other backend would do better. `pair`: this route does not work on this backend, or this
   * job is too large for it. `backend`: another backend may do it, and this one rests.
   */
  readonly blame: 'render' | 'pair' | 'backend';
  readonly code: EngineFailureCode;
  /** Whether the engine may have the job. Only of `submit`; default `yes`. */
  readonly sent?: 'no' | 'unknown' | 'yes';
  /** Of blame `pair`: a smaller job of the route would work there. Default: where it is out of memory. */
  readonly tooLarge?: boolean;
  /** Target of the route whose value is wrong. */
  readonly target?: string;
  /**
   * The engine provably did not begin the job, and nothing is billed for it, though it was asked when it had all of it: a
   * refusal that comes in `follow`, of an engine that answers only when it is done. Only of `follow`; `submit` has `sent`.
   */
  readonly untaken?: boolean;
  /** Seconds after which the engine wants to be asked again. */
  readonly retryAfterSeconds?: number;
  /** It stays so until an operator does something: a wrong key, no credit. */
  readonly lasting?: boolean;
  /** The result came and was useless: fetched again from a paid provider, never bought again. */
  readonly badResult?: boolean;
  /** Of a bad result: where it lies could not be reached, or was busy. It may be had later. */
  readonly away?: boolean;
}

/** The only error that a driver throws of its own accord. The message is for an operator and may name nodes and hosts. */
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
