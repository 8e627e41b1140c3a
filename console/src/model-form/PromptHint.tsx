import { Anchor, Text } from '@mantine/core';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useMemo } from 'react';
import type { FormValues } from './form-values.ts';
import { hintFor } from './prompt-hint.ts';
import { useModelFacts } from './use-model-facts.ts';

type PromptHintProps = {
  kind: GenerationKind;
  values: FormValues;
  model: Model;
  models: readonly Model[];
  onModel: (id: string) => void;
};

/** Warns when the chosen model cannot draw the prompt, or only a part of it, and names a model that can. */
export function PromptHint({ kind, values, model, models, onModel }: PromptHintProps) {
  const facts = useModelFacts();
  const subjects = useMemo(
    () => new Map(facts?.flatMap((one) => (one.subjects === null ? [] : [[one.id, one.subjects] as const]))),
    [facts],
  );
  const masked = kind === 'image_edit' && values.mode === 'inpaint';
  // An edit of a whole picture keeps its subjects, whatever the prompt names.
  if (facts === undefined || (kind === 'image_edit' && !masked)) return null;
  const useful = masked ? models.filter(({ inpaint }) => inpaint) : models;
  const hint = hintFor(values.prompt, model, useful, subjects);
  if (hint === undefined) return null;
  const { other } = hint;
  return (
    <Text fz="xs" c="dimmed" role="status">
      {model.name} draws {listed(hint.draws)},{' '}
      {hint.finds ? `but not ${hint.by}` : 'and this names none of them'}.
      {masked &&
        !hint.finds &&
        values.inpaint_type === 'fill' &&
        ' What is painted over goes, and its surroundings go on.'}{' '}
      {other === undefined ? (
        'No model here says that it draws anything else.'
      ) : (
        <Anchor component="button" type="button" inherit onClick={() => onModel(other.id)}>
          Use {other.name}, which {hint.by === undefined ? 'names no limits' : `draws ${hint.by}`}
        </Anchor>
      )}
    </Text>
  );
}

const listed = (names: readonly string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
