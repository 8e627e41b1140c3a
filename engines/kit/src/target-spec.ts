import type { JsonValue } from './route.ts';

/**
 * What a target of a route accepts, where the engine reports it. `manifests/src/check-machine.ts` compares it with what
 * requests may set.
 */
export interface TargetSpec {
  readonly type: 'int' | 'float' | 'string' | 'bool' | 'media' | 'other';
  readonly min?: number;
  readonly max?: number;
  /**
   * The distance between allowed values, counted from zero or from `min`. Engines round values in between instead of
   * refusing them.
   */
  readonly step?: number;
  readonly choices?: readonly JsonValue[];
  /** Returns whether a value is one of the choices, where a choice has several spellings. */
  readonly isChoice?: (value: JsonValue) => boolean;
  /** Instead of choices, where the target takes file names: the engine may accept several spellings of a name. */
  readonly files?: { readonly folder: string | undefined; readonly has: (name: JsonValue) => boolean };
}

/** By target. The engine does not have a target that is missing here. */
export type TargetSpecs = ReadonlyMap<string, TargetSpec>;
