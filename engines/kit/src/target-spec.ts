import type { JsonValue } from './route.ts';

/** What a target of a route takes, where the engine has said so. */
export interface TargetSpec {
  readonly type: 'int' | 'float' | 'string' | 'bool' | 'media' | 'other';
  readonly min?: number;
  readonly max?: number;
  /** Between one value and the next, counted from zero or from `min`. Engines round what lies between, and refuse nothing. */
  readonly step?: number;
  readonly choices?: readonly JsonValue[];
  /** Where a choice goes by several spellings: whether a value is one of them. */
  readonly isChoice?: (value: JsonValue) => boolean;
  /** In the place of choices, where it takes names of files: it may know one by several spellings. */
  readonly files?: { readonly folder: string | undefined; readonly has: (name: JsonValue) => boolean };
}

/** By target. A target that is not among them is none that the engine knows. */
export type TargetSpecs = ReadonlyMap<string, TargetSpec>;
