import { ActionIcon, Group, SegmentedControl, Skeleton, Stack, Tooltip } from '@mantine/core';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { v1Query } from '../../api/queries.ts';
import { kindNames, kinds } from '../../generations/kind-labels.ts';
import type { ItemUse } from '../../media/item-use.ts';
import { PaintingRoom } from '../../media/MaskField.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageTitle } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Canvas } from './Canvas.tsx';
import { Playground } from './Playground.tsx';
import classes from './playground.module.css';
import type { PlaygroundSearch } from './search.ts';
import { emptyFormOf, type InitialForm, useInitialForm } from './use-initial-form.ts';
import { useReplacedForm } from './use-replaced-form.tsx';
import { type Start, useStart } from './use-start.ts';

const route = getRouteApi('/signed-in/playground');

/** The page to make images and videos. The results have most of the room, with the form next to them. */
export function PlaygroundPage() {
  const search = route.useSearch();
  const start = useStart(search);
  const [room, setRoom] = useState<HTMLElement | null>(null);
  return (
    <div className={classes['layout']}>
      <section className={classes['form']} aria-label="Request">
        <PaintingRoom value={room}>
          <FormLoader key={start.version} search={search} {...start} />
        </PaintingRoom>
      </section>
      <Canvas shown={search.generation} kind={search.kind} paintingRef={setRoom} />
    </div>
  );
}

type FormLoaderProps = Start & { search: PlaygroundSearch };

/** Loads the initial values of the form. */
function FormLoader({ search, from, form, told, begin }: FormLoaderProps) {
  const { initial, error, retry } = useInitialForm(from, form);
  const kind = search.kind ?? initial?.kind ?? 'image';
  return (
    <>
      <FormHead kind={kind} begin={begin} />
      {error !== null && <ProblemAlert error={error} title="The request could not be read" onRetry={retry} />}
      {error === null && initial === undefined && <Loading />}
      {initial !== undefined && <ModelLoader {...{ search, initial, kind, told, begin }} use={from.as} />}
    </>
  );
}

/** The heading, the choice of what to make, and the button for an empty form. */
function FormHead({ kind, begin }: { kind: GenerationKind; begin: Start['begin'] }) {
  return (
    <div className={classes['head']}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <PageTitle title="Playground" size="1.05rem">
          Playground
        </PageTitle>
        <Tooltip label="Clear the form">
          <ActionIcon
            aria-label="Clear the form"
            onClick={() => begin(kind, emptyFormOf(kind), 'The form was cleared.')}
          >
            <Icon name="eraser" size={15} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <SegmentedControl
        aria-label="What to make"
        data={kindNames.map((value) => ({ value, label: kinds[value].name }))}
        value={kind}
        onChange={(value) => begin(value)}
        size="xs"
        fullWidth
      />
    </div>
  );
}

type ModelLoaderProps = Pick<Start, 'told' | 'begin'> & {
  search: PlaygroundSearch;
  initial: InitialForm;
  kind: GenerationKind;
  /** The field that the form begins with. Models without this field are not offered. */
  use: ItemUse | undefined;
};

function ModelLoader({ search, initial, kind, use, told, begin }: ModelLoaderProps) {
  const navigate = route.useNavigate();
  useReplacedForm(initial, told, begin);
  // The state is here, because a model may load again while the person types. The typed values must not be lost.
  const typed = useState(initial.values);
  const { suite } = kinds[kind];
  const list = useQuery({ ...v1Query('listModels', {}), staleTime: 60_000 });
  const wanted =
    search.model ?? (kind === initial.kind && kind !== 'video_extend' ? initial.model : undefined);
  const models = (list.data?.data ?? []).filter(({ suites }) => suites.includes(suite));
  const listed = wanted === undefined ? undefined : models.find(({ id }) => id === wanted);
  // Models of larger plans are not in the list, but can still be shown.
  const one = useQuery({
    ...v1Query('getModel', { params: { id: wanted ?? '' } }),
    enabled: wanted !== undefined && list.data !== undefined && listed === undefined,
    retry: false,
    placeholderData: undefined,
  });
  const useful = models.filter((model) => search.model !== undefined || takes(model, use));
  const fallback = useful.find(({ default_for: of }) => of.includes(suite)) ?? useful[0] ?? models[0];
  const named = listed ?? (one.data?.suites.includes(suite) === true ? one.data : undefined);
  const known = named !== undefined && (search.model !== undefined || takes(named, use)) ? named : undefined;
  // After the models are loaded, a later error does not remove them.
  if (list.data === undefined)
    return list.error === null ? (
      <Loading />
    ) : (
      <ProblemAlert
        error={list.error}
        title="The models could not be read"
        onRetry={() => void list.refetch()}
      />
    );
  if (wanted !== undefined && listed === undefined && one.isPending) return <Loading />;
  return (
    <WithModel model={known ?? fallback}>
      {(model) => (
        <Playground
          {...{ kind, model, models, typed }}
          unlisted={known !== undefined && listed === undefined}
          onModel={(id) =>
            void navigate({
              search: (before) => ({ ...before, kind, model: id }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      )}
    </WithModel>
  );
}

/** Returns whether a model accepts an item of the library in this field. */
function takes({ parameters }: Model, use: ItemUse | undefined): boolean {
  if (use === 'reference_images') return parameters.max_reference_images > 0;
  if (use === 'start_image') return parameters.frames.start;
  return use !== 'source_video' || parameters.source_video !== null;
}

function WithModel({ model, children }: { model: Model | undefined; children: (model: Model) => ReactNode }) {
  if (model !== undefined) return children(model);
  return (
    <EmptyState icon="playground" title="No model of your plan does this">
      Choose another kind above, or a larger plan in the studio.
    </EmptyState>
  );
}

function Loading() {
  return (
    <Stack gap="md" aria-busy="true" aria-label="Loading">
      <Skeleton h={56} />
      <Skeleton h={120} />
    </Stack>
  );
}
