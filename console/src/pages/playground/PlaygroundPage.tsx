import { Button, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { v1Query } from '../../api/queries.ts';
import { kindNames, kinds } from '../../generations/kinds.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Playground } from './Playground.tsx';
import type { PlaygroundSearch } from './search.ts';
import { type InitialForm, useInitialForm } from './use-initial-form.ts';

const route = getRouteApi('/signed-in/playground');

/** Creates images and videos by hand, and shows the request that a program would send. */
export function PlaygroundPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [formVersion, setFormVersion] = useState(0);
  const clear = async () => {
    // The address first, since the form starts with what it names.
    await navigate({ search: { kind: search.kind, model: search.model } });
    setFormVersion((before) => before + 1);
  };
  return (
    <Page
      title="Playground"
      description="Try a model, see what it costs, and take the request with you as code."
      wide
      actions={
        <Button variant="default" onClick={() => void clear()}>
          Clear the form
        </Button>
      }
    >
      <InitialFormLoader key={`${formVersion} ${search.from ?? ''} ${search.use ?? ''}`} search={search} />
    </Page>
  );
}

/** Loads the initial contents of the form. */
function InitialFormLoader({ search }: { search: PlaygroundSearch }) {
  const { initial, error, retry } = useInitialForm(search);
  if (error !== null)
    return <ProblemAlert error={error} title="The request could not be read" onRetry={retry} />;
  if (initial === undefined) return <Loading />;
  return <ModelLoader search={search} initial={initial} />;
}

function ModelLoader({ search, initial }: { search: PlaygroundSearch; initial: InitialForm }) {
  const navigate = route.useNavigate();
  const kind = search.kind ?? initial.kind;
  const { suite } = kinds[kind];
  // Models of all kinds, so that the form stays when another kind is chosen.
  const list = useQuery({ ...v1Query('listModels', {}), staleTime: 60_000 });
  const wanted =
    search.model ?? (kind === initial.kind && kind !== 'video_extend' ? initial.model : undefined);
  const models = (list.data?.data ?? []).filter(({ suites }) => suites.includes(suite));
  const listed = wanted === undefined ? undefined : models.find(({ id }) => id === wanted);
  // Models of larger plans are not in the list, but can be shown.
  const one = useQuery({
    ...v1Query('getModel', { params: { id: wanted ?? '' } }),
    enabled: wanted !== undefined && list.isSuccess && listed === undefined,
    retry: false,
    placeholderData: undefined,
  });
  const fallback = models.find(({ default_for: of }) => of.includes(suite)) ?? models[0];
  const choose = (next: { kind?: GenerationKind; model?: string }) =>
    void navigate({
      search: (before) => ({ ...before, kind, ...next, model: next.model }),
      replace: true,
      resetScroll: false,
    });
  const model = listed ?? (one.data?.suites.includes(suite) === true ? one.data : undefined);
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="What to make"
        data={kindNames.map((value) => ({ value, label: kinds[value].name }))}
        value={kind}
        onChange={(value) => choose({ kind: value })}
        w="fit-content"
        maw="100%"
      />
      {list.error !== null && (
        <ProblemAlert
          error={list.error}
          title="The models could not be read"
          onRetry={() => void list.refetch()}
        />
      )}
      {list.isSuccess && one.fetchStatus === 'idle' && (
        <Chosen
          {...{ kind, initial, models, search }}
          model={model ?? fallback}
          unlisted={model !== undefined && listed === undefined}
          onModel={(id) => choose({ model: id })}
        />
      )}
      {list.isPending && list.error === null && <Loading />}
    </Stack>
  );
}

type ChosenProps = {
  kind: GenerationKind;
  initial: InitialForm;
  models: readonly Model[];
  search: PlaygroundSearch;
  model: Model | undefined;
  unlisted: boolean;
  onModel: (id: string) => void;
};

function Chosen({ kind, initial, models, search, model, unlisted, onModel }: ChosenProps) {
  if (model === undefined)
    return (
      <EmptyState icon="playground" title={`No model of your plan does this`}>
        Choose another kind above, or a larger plan in the studio.
      </EmptyState>
    );
  return (
    <Playground
      kind={kind}
      model={model}
      models={models}
      unlisted={unlisted}
      initial={initial.values}
      shown={search.generation}
      onModel={onModel}
    />
  );
}

function Loading() {
  return (
    <Stack gap="md" aria-busy="true" aria-label="Loading">
      <Skeleton h={32} w="18rem" maw="100%" />
      <Skeleton h={320} />
    </Stack>
  );
}
