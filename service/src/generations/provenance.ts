import type { Render } from '@renderkit/contract/studio/schemas/render.ts';

/** How one output was made. `seed`: null where its engine takes none; `seconds` of the job that made it. */
export type OutputProvenance = {
  /** The output's. */
  id: string;
  seed: number | null;
  model_version: number | null;
  backend: string | null;
  seconds: number | null;
};

/** JSON text of how a render's outputs were made, as the record of the generation keeps it; undefined where the studio does not tell. */
export function provenanceOf({ outputs }: Pick<Render, 'outputs'>): string | undefined {
  const told: OutputProvenance[] = outputs.flatMap(({ id, made }) => {
    if (made === undefined) return [];
    const { seed, model_version, backend, seconds } = made;
    return [{ id, seed, model_version, backend, seconds }];
  });
  return told.length === 0 ? undefined : JSON.stringify(told);
}

/** What such a text says; nothing where there is none. */
export function provenanceIn(text: string | null): OutputProvenance[] {
  return text === null ? [] : (JSON.parse(text) as OutputProvenance[]);
}
