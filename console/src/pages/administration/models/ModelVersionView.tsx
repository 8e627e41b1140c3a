import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ManagedModelDetail } from '@renderkit/contract/studio/administration/models.ts';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../../../api/queries.ts';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { Section } from '../../../ui/Section.tsx';
import { ImportNotes } from './ImportNotes.tsx';
import { ManifestView } from './ManifestView.tsx';
import { Parameters } from './Parameters.tsx';
import { CompareModal, PublishModal } from './PublishModal.tsx';
import { Sample } from './Sample.tsx';

/** How long a check stays valid when a person returns to a version. A new check contacts machines. */
const checkStaysMs = 60_000;

type ModelVersionProps = { model: ManagedModelDetail; version: number };

/** One version: its parameters, sample and manifest, and the button to publish it. */
export function ModelVersionView({ model, version }: ModelVersionProps) {
  const { id } = model;
  const params = { id, version: String(version) };
  const read = useQuery(consoleQuery('getModelVersion', { params }));
  // A separate query, because it contacts machines.
  const check = useQuery({
    ...consoleQuery('checkModelVersion', { params }),
    enabled: version !== model.published_version,
    staleTime: checkStaysMs,
    refetchOnWindowFocus: false,
    // The problems of another version do not apply to this one.
    placeholderData: undefined,
  });
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
            isAsked={check.isPending}
            isRefused={(check.data?.problems ?? []).length > 0}
          />
        )
      }
    >
      <Stack gap="md">
        {read.error !== null && <ProblemAlert error={read.error} title="The version could not be read" />}
        {read.isPending && <ListSkeleton rows={3} />}
        {check.error !== null && (
          <ProblemAlert error={check.error} title="Its backends could not be asked what is wrong with it" />
        )}
        <ImportNotes
          problems={check.data?.problems ?? []}
          lacking={check.data?.lacking ?? []}
          warnings={[...(read.data?.warnings ?? []), ...(check.data?.warnings ?? [])]}
        />
        {read.data !== undefined && read.data.version === version && (
          <>
            <Parameters
              id={id}
              version={version}
              parameters={read.data.parameters}
              problems={check.data?.problems ?? []}
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

/** `isAsked`: the check of its backends is still running. */
type VersionButtonsProps = ModelVersionProps & { isAsked: boolean; isRefused: boolean };

function VersionButtons({ model, version, isAsked, isRefused }: VersionButtonsProps) {
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
      <Button loading={isAsked} disabled={isRefused} onClick={publish.open}>
        {offered !== null && version < offered
          ? `Go back to version ${version}`
          : `Publish version ${version}`}
      </Button>
      <CompareModal model={model} version={version} opened={comparing} onClose={compare.close} />
      <PublishModal model={model} version={version} opened={publishing} onClose={publish.close} />
    </>
  );
}
