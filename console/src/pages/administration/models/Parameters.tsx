import { Button, Group, Stack, Text } from '@mantine/core';
import type { ManagedParameter, ManifestProblem } from '@renderkit/contract/studio/administration/models.ts';
import { formatCount } from '../../../format/numbers.ts';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { BindForm } from './BindForm.tsx';
import { ImportNotes } from './ImportNotes.tsx';
import { isOpenGuess, ParametersTable } from './ParametersTable.tsx';
import { useBindings } from './use-bindings.ts';

type ParametersProps = {
  id: string;
  version: number;
  parameters: readonly ManagedParameter[];
  /** The problems of the version. */
  problems: readonly ManifestProblem[];
  editable: boolean;
};

/** The table of imported parameters. Changes are collected and saved together as the next draft, or not at all. */
export function Parameters({ id, version, parameters, problems, editable }: ParametersProps) {
  const { bindings, change, undo, save } = useBindings({ id, version }, parameters);
  const added = Array.from(bindings).filter(([target]) => !parameters.some((one) => one.target === target));
  const rows = [...parameters, ...added.map(addedRow)];
  const guesses = parameters.filter((one) => isOpenGuess(one) && !bindings.has(one.target));
  const refused = save.data?.version === null ? save.data : undefined;
  return (
    <Stack gap="xs">
      {rows.length > 0 && (
        <ParametersTable
          parameters={rows}
          problems={refused?.problems ?? problems}
          bindings={bindings}
          {...(editable && { onChange: change })}
          disabled={save.isPending}
        />
      )}
      {save.error !== null && <ProblemAlert error={save.error} title="The parameters were not changed" />}
      {refused !== undefined && (
        <ImportNotes problems={refused.problems} title="It would be wrong like this" />
      )}
      {bindings.size > 0 && !editable && (
        <Text fz="sm" role="status">
          {formatCount(bindings.size, 'change')}, not saved: there is a newer version now. Open it to make
          changes.
        </Text>
      )}
      {bindings.size > 0 && editable && (
        <Group gap="xs" role="status">
          <Text fz="sm">{formatCount(bindings.size, 'change')}, not saved yet.</Text>
          <Button variant="default" disabled={save.isPending} onClick={undo}>
            Undo
          </Button>
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save as the next draft
          </Button>
        </Group>
      )}
      {editable && (
        <>
          {guesses.length > 1 && (
            <Group>
              <Button
                variant="default"
                disabled={save.isPending}
                onClick={() => change(guesses.map(({ target, source }) => [target, source]))}
              >
                Confirm all {guesses.length} guesses
              </Button>
            </Group>
          )}
          <BindForm
            parameters={parameters}
            disabled={save.isPending}
            onBind={(target, source) => change([[target, source]])}
          />
        </>
      )}
      <Text fz="xs" c="dimmed">
        {editable
          ? 'A guess is not used until you confirm it. What you change is saved together, as the next draft.'
          : 'Changes are made to the newest version.'}
      </Text>
    </Stack>
  );
}

/** An input that the version does not set yet. */
function addedRow([target, source]: [string, string]): ManagedParameter {
  return {
    target,
    node: null,
    source,
    sources: [source],
    sure: 'sure',
    reason: 'you set it',
    confirmed: true,
  };
}
