import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import type { RequestShape } from './accepted-requests.ts';
import type { Manifest } from './manifest.ts';

export interface ManifestContext {
  /** Texts by the names that the manifest gives: workflows. */
  readonly files: ReadonlyMap<string, string>;
  /** The backend that was asked what the targets of a route take; left out where none was. */
  readonly machine?: Machine;
}

/** What a backend says of the targets of a route. */
export interface Machine {
  readonly backend: string;
  readonly targetsOf: (route: Route) => TargetSpecs | undefined;
}

/** What the checks of a route share. */
export interface RouteCheck extends ManifestContext {
  readonly manifest: Manifest;
  readonly route: Route;
  /** Those that this route takes. */
  readonly shapes: readonly RequestShape[];
  /** Adds a problem; `path` begins below the route. */
  readonly add: (code: Problem['code'], path: readonly (string | number)[], message: string) => void;
}
