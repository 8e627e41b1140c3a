import { Anchor, Text } from '@mantine/core';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { consoleQuery } from '../api/queries.ts';
import { hintFor } from './prompt-hint.ts';

type PromptHintProps = {
  prompt: string;
  model: Model;
  models: readonly Model[];
  onModel: (id: string) => void;
};

const staleMs = 5 * 60_000;

/** Says of a prompt that the chosen model cannot draw which model can. */
export function PromptHint({ prompt, model, models, onModel }: PromptHintProps) {
  const list = useQuery({ ...consoleQuery('listModelSubjects', {}), staleTime: staleMs });
  const subjects = useMemo(() => new Map(list.data?.data.map((one) => [one.id, one.subjects])), [list.data]);
  const hint = list.isSuccess ? hintFor(prompt, model, models, subjects) : undefined;
  if (hint === undefined) return null;
  const { other } = hint;
  return (
    <Text fz="xs" c="dimmed" role="status">
      {model.name} draws {listed(hint.draws)}, and this names none of them.{' '}
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
