import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { generationText } from '../generations/present.ts';
import type { KeyedRow } from '../generations/reads/list-rows.ts';

/** What is started in the console is spent under this name. */
export const consoleKeyName = 'Console';

export function presentGenerationRow({ row, keyId, key, prompt }: KeyedRow): GenerationRow {
  return {
    object: 'generation_row',
    generation: JSON.parse(generationText(row)) as Generation,
    key: {
      id: keyId,
      name: key?.console === true ? consoleKeyName : (key?.name ?? ''),
      console: key?.console === true,
    },
    prompt,
  };
}
