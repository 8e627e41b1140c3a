import type { JsonValue } from './route.ts';

/** What a target of a route takes, where the engine has said so. */
export interface TargetSpec {
  readonly type: 'int' | 'float' | 'string' | 'bool' | 'media' | 'other';
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly JsonValue[];
}

/** By target. A target that is not among them is none that the engine knows. */
export type TargetSpecs = ReadonlyMap<string, TargetSpec>;
