import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { callConsole } from '../../api/client.ts';
import { consoleQuery } from '../../api/queries.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';

/**
 * The setting for the contents of files that are saved from the library and the playground.
 * `service/src/downloads/recipe.ts` makes these contents.
 */
export function SavedFiles() {
  const queries = useQueryClient();
  const asked = consoleQuery('getSettings', {});
  const settings = useQuery(asked);
  const change = useMutation({
    mutationFn: (recipes: boolean) => callConsole('updateSettings', { body: { recipes_in_files: recipes } }),
    onSuccess: (changed) => queries.setQueryData(asked.queryKey, changed),
  });
  const error = settings.error ?? change.error;
  return (
    <Section title="Saved files">
      {error !== null && <ProblemAlert error={error} title="That could not be read or changed" />}
      <Switch
        checked={settings.data?.recipes_in_files ?? false}
        disabled={settings.data === undefined || change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
        label="Files say how they were made"
        description="Prompt, model and version, seed and settings stand in the metadata of the pictures and videos that you save. Whoever gets such a file can read them."
      />
    </Section>
  );
}
