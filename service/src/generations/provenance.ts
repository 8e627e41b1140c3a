import type { Render } from '@renderkit/contract/studio/schemas/render.ts';

/**
 * How one output was made. `seed` is null where its engine takes none. `seconds` is the duration of the job that made
 * it.
 */
export type OutputProvenance = {
  /** The output's id. */
  id: string;
  seed: number | null;
  model_version: number | null;
  backend: string | null;
  seconds: number | null;
};

/**
 * Returns, as JSON text for the generation's record, how a render's outputs were made; undefined where the studio does
 * not report it. `presentRequest` in `reads/request-body.ts` shows the seed and the version to clients.
 */
export function provenanceOf({ outputs }: Pick<Render, 'outputs'>): string | undefined {
  const told: OutputProvenance[] = outputs.flatMap(({ id, made }) => {
    if (made === undefined) return [];
    const { seed, model_version, backend, seconds } = made;
    return [{ id, seed, model_version, backend, seconds }];
  });
  return told.length === 0 ? undefined : JSON.stringify(told);
}

/** Parses such a text; returns an empty list for null. */
export function provenanceIn(text: string | null): OutputProvenance[] {
  return text === null ? [] : (JSON.parse(text) as OutputProvenance[]);
}
