import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type {
  ManagedModelDetail,
  ManagedParameter,
} from '@renderkit/contract/studio/administration/models.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { callConsole } from '../../../api/client.ts';
import { consoleQuery } from '../../../api/queries.ts';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { Section } from '../../../ui/Section.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { BindForm } from './BindForm.tsx';
import { ImportNotes } from './ImportNotes.tsx';
import { importedQueryKey, useImported } from './imported.ts';
import { ManifestView } from './ManifestView.tsx';
import { sourceLabel } from './model-texts.ts';
import { ParametersTable } from './ParametersTable.tsx';
import { CompareModal, PublishModal } from './PublishModal.tsx';
import { Sample } from './Sample.tsx';

type ModelVersionProps = { model: ManagedModelDetail; version: number };

/** One version: its parameters, its sample, its manifest, and the way to put it on offer. */
export function ModelVersionView({ model, version }: ModelVersionProps) {
  const { id } = model;
  const imported = useImported(id, version);
  const read = useQuery(consoleQuery('getModelVersion', { params: { id, version: String(version) } }));
  const newest = model.versions[0]?.version ?? version;
  return (
    <Section
      title={titleOf(model, version)}
      card={false}
      actions={
        version !== model.published_version && (
          <VersionButtons
            model={model}
            version={version}
            isRefused={imported !== undefined && imported.problems.length > 0}
          />
        )
      }
    >
      <Stack gap="md">
        {read.error !== null && <ProblemAlert error={read.error} title="The version could not be read" />}
        {read.isPending && <ListSkeleton rows={3} />}
        {imported !== undefined && <ImportNotes imported={imported} />}
        {read.data !== undefined && read.data.version === version && (
          <>
            <Parameters
              id={id}
              parameters={parametersOf(read.data.parameters, imported?.parameters)}
              editable={version === newest}
            />
            <Sample id={id} version={version} thumbnail={read.data.thumbnail} />
            <ManifestView id={id} version={read.data} />
          </>
        )}
      </Stack>
    </Section>
  );
}

function titleOf({ published_version: published }: ManagedModelDetail, version: number): string {
  if (version === published) return `Version ${version}, on offer`;
  return `Version ${version}, not on offer`;
}

/** Those of the version, as an import described them, and its guesses, which the version does not use. */
function parametersOf(
  stored: readonly ManagedParameter[],
  described: readonly ManagedParameter[] = [],
): ManagedParameter[] {
  const known = new Set(stored.map(({ target }) => target));
  const guesses = described.filter(({ target, sure }) => sure === 'guess' && !known.has(target));
  const descriptionOf = ({ target, source }: ManagedParameter) =>
    described.find((one) => one.target === target && one.source === source);
  return [...stored.map((one) => descriptionOf(one) ?? one), ...guesses];
}

type VersionButtonsProps = ModelVersionProps & { isRefused: boolean };

function VersionButtons({ model, version, isRefused }: VersionButtonsProps) {
  const [publishing, publish] = useDisclosure(false);
  const [comparing, compare] = useDisclosure(false);
  const { published_version: offered } = model;
  return (
    <>
      {offered !== null && (
        <Button variant="default" onClick={compare.open}>
          Compare with version {offered}
        </Button>
      )}
      <Button disabled={isRefused} onClick={publish.open}>
        {offered !== null && version < offered
          ? `Go back to version ${version}`
          : `Publish version ${version}`}
      </Button>
      <CompareModal model={model} version={version} opened={comparing} onClose={compare.close} />
      <PublishModal model={model} version={version} opened={publishing} onClose={publish.close} />
    </>
  );
}

type ParametersProps = { id: string; parameters: readonly ManagedParameter[]; editable: boolean };

/** The table of the import. Each change makes the next draft, and leads to it. */
function Parameters({ id, parameters, editable }: ParametersProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const bind = useMutation({
    mutationFn: (body: { target: string; source: string }) =>
      callConsole('bindParameter', { params: { id }, body }),
    meta: { inline: true },
    onSuccess: async (changed, { target, source }) => {
      if (changed.version === null) return;
      // What the import said of the other inputs holds for the next draft too.
      const others = parameters.filter((one) => one.target !== target);
      queryClient.setQueryData(importedQueryKey(id, changed.version), {
        ...changed,
        parameters: parametersOf(changed.parameters, others),
      });
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast(`${target} is set from ${sourceLabel(source)} in version ${changed.version}.`);
      await navigate({
        to: '/administration/models/$id',
        params: { id },
        search: { version: changed.version },
        replace: true,
      });
    },
  });
  const refused = bind.data?.version === null ? bind.data : undefined;
  return (
    <Stack gap="xs">
      {parameters.length > 0 && (
        <ParametersTable
          parameters={parameters}
          {...(editable && { onBind: (target: string, source: string) => bind.mutate({ target, source }) })}
          pending={bind.isPending ? bind.variables.target : undefined}
        />
      )}
      {bind.error !== null && <ProblemAlert error={bind.error} title="The parameter was not changed" />}
      {refused !== undefined && <ImportNotes imported={refused} />}
      {editable && (
        <BindForm
          parameters={parameters}
          pending={bind.isPending}
          onBind={(target, source) => bind.mutate({ target, source })}
        />
      )}
      <Text fz="xs" c="dimmed">
        {editable
          ? 'A guess is not used until you confirm it. Each change makes the next draft.'
          : 'Changes are made to the newest version.'}
      </Text>
    </Stack>
  );
}
