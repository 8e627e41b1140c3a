import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { RequestShape } from './accepted-requests.ts';
import type { Manifest } from './manifest.ts';

/** What a target takes, where the engine has said so. */
export interface TargetSpec {
  readonly type: 'int' | 'float' | 'string' | 'bool' | 'media' | 'other';
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly JsonValue[];
}
/** Specs by target. A target that is not among them is none that the engine knows. */
export type TargetSpecs = ReadonlyMap<string, TargetSpec>;

export interface ManifestContext {
  /** Texts by the names that the manifest gives: workflows. */
  readonly files: ReadonlyMap<string, string>;
  /** What a backend says of a route's targets; undefined where none was asked. */
  readonly targetsOf?: (route: Route) => TargetSpecs | undefined;
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
