import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import type { RequestShape } from './accepted-requests.ts';
import type { Manifest } from './manifest.ts';

export interface ManifestContext {
  /** Texts of files by their names in the manifest: workflows. */
  readonly files: ReadonlyMap<string, string>;
  /** The backend that reported what the targets of a route accept; absent where none was asked. */
  readonly machine?: Machine;
}

/** What a backend reports about the targets of a route. */
export interface Machine {
  readonly backend: string;
  readonly targetsOf: (route: Route) => TargetSpecs | undefined;
}

/**
 * The data that all checks of a route share. The checks are `check-route.ts`, `check-bindings.ts` and
 * `check-machine.ts`.
 */
export interface RouteCheck extends ManifestContext {
  readonly manifest: Manifest;
  readonly route: Route;
  /** The shapes of requests that this route takes. */
  readonly shapes: readonly RequestShape[];
  /** Adds a problem; `path` is relative to the route. */
  readonly add: (code: Problem['code'], path: readonly (string | number)[], message: string) => void;
}
