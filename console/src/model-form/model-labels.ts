import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { fieldsOf } from './form-fields.ts';

/**
 * Returns short labels for the abilities of a model, apart from following a prompt. `contract/studio/age.ts` decides
 * who may use a model for adults.
 */
export function abilitiesOf(model: Model, kind: GenerationKind): string[] {
  const fields = fieldsOf(kind, model);
  const able: [boolean, string][] = [
    [fields.inpaint, 'Inpaint'],
    [fields.startImage === 'required', 'Needs a first frame'],
    [fields.startImage === 'optional', 'First frame'],
    [fields.endImage !== 'none', 'Last frame'],
    [
      fields.referenceImages > 0,
      `${fields.referenceImages} reference${fields.referenceImages === 1 ? '' : 's'}`,
    ],
    [fields.audios !== undefined, 'Audio'],
    [fields.sourceVideo !== null, 'Source video'],
    [!fields.prompt.required, 'Prompt optional'],
    [fields.baseModels.length > 0, 'Base models'],
    [model.kind === 'custom', 'Custom'],
    [model.kind === 'character', 'Character'],
    [model.nsfw, 'Adults only'],
  ];
  return able.flatMap(([can, label]) => (can ? [label] : []));
}

/** Returns whether a model serves only to test a client (docs/sandbox.md). */
export function isSandbox({ id }: Pick<Model, 'id'>): boolean {
  return id.startsWith('sandbox-');
}

/** Returns whether the name, id or description of a model contains every word of a search. */
export function matchesSearch(model: Pick<Model, 'id' | 'name' | 'description'>, search: string): boolean {
  const text = `${model.name} ${model.id} ${model.description ?? ''}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Returns the plans that include a model, for a sentence: `Plus or Pro`. */
export function plansOf({ tiers }: Pick<Model, 'tiers'>): string {
  const names = tiers.map((tier) => `${tier.charAt(0).toUpperCase()}${tier.slice(1)}`);
  return names.length > 1
    ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
    : (names[0] ?? 'every plan');
}
