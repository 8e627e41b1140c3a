import { Button, Text } from '@mantine/core';
import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { GenerationError } from '../../generations/GenerationError.tsx';
import { LiveProgress } from '../../generations/LiveProgress.tsx';
import { ProvenanceOf } from '../../generations/Provenance.tsx';
import { isFinal } from '../../generations/generation-status.ts';
import type { Watching } from '../../generations/use-progress.ts';
import { OutputFavoriteButton } from '../../media/FavoriteButton.tsx';
import { ItemActions } from '../../media/ItemActions.tsx';
import { MediaLightbox } from '../../media/MediaLightbox.tsx';
import { itemOfOutput, type MediaItem } from '../../media/media-item.ts';
import { Icon } from '../../ui/Icon.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import type { Compared } from './Compare.tsx';
import { ResultImage } from './ResultImage.tsx';
import { RunFacts } from './RunFacts.tsx';
import classes from './result.module.css';
import { type Culling, useCulling } from './use-culling.tsx';
import { useGeneration } from './use-runs.ts';

type ResultProps = {
  /** Ids of the shown generations: one, or those that were started together. */
  ids: readonly string[];
  /** Their labels when a grid was run. */
  labels: readonly string[];
  rows: readonly GenerationRow[];
  watching: ReadonlyMap<string, Watching>;
  /** Ids of the items that are marked for comparing. */
  marked: readonly string[];
  mark: (one: Compared) => void;
  compare: (items: readonly Compared[]) => void;
};

/** Shows the results of the shown runs, or their progress. */
export function Result({ ids, labels, rows, watching, marked, mark, compare }: ResultProps) {
  const [made, setMade] = useState<ReadonlyMap<string, readonly MediaItem[]>>(new Map());
  const [large, setLarge] = useState<string>();
  const section = useRef<HTMLElement>(null);
  const known = useCulling();
  const items = ids.flatMap((id) => made.get(id) ?? []).filter(({ id }) => !known.discarded.has(id));
  const madeBy = (item: MediaItem) =>
    ids.find((id) => made.get(id)?.some((output) => output.id === item.id)) ?? '';
  const labelled = (item: MediaItem): Compared => ({ item, label: labels[ids.indexOf(madeBy(item))] });
  const discard = (gone: readonly MediaItem[]) => {
    const isGone = (item: MediaItem) => gone.some(({ id }) => id === item.id);
    for (const item of gone) if (marked.includes(item.id)) mark(labelled(item));
    const next = items.slice(items.findIndex(isGone)).find((item) => !isGone(item));
    const left = next ?? items.findLast((item) => !isGone(item));
    // Moves the focus before the picture is removed, so that the focus is not lost.
    focusImage(section.current, left?.id);
    known.discard(gone);
  };
  const culling = { ...known, discard };
  // A run in progress takes the room of one picture.
  const cells = Math.max(1, items.length + ids.filter((id) => !made.has(id)).length);
  return (
    <section ref={section} className={classes['result']} aria-label="Result" tabIndex={-1}>
      {items.length > 1 && (
        <Together {...{ items, culling }} onCompare={() => compare(items.map(labelled))} />
      )}
      <div className={classes['room']}>
        <div className={classes['grid']} data-count={Math.min(cells, 9)}>
          {ids.map((id, i) => (
            <Run
              key={id}
              label={labels[i]}
              alone={ids.length === 1}
              {...{ id, rows, culling, marked, mark }}
              watching={watching.get(id) ?? 'none'}
              onMade={setMade}
              onLarge={setLarge}
            />
          ))}
        </div>
      </div>
      <MediaLightbox
        items={items}
        shown={large}
        onShow={setLarge}
        details={(item) => (
          <>
            <ItemActions item={item}>
              <OutputFavoriteButton item={item} />
            </ItemActions>
            <ProvenanceOf id={madeBy(item)} output={item.id} />
          </>
        )}
      />
    </section>
  );
}

type TogetherProps = { items: readonly MediaItem[]; culling: Culling; onCompare: () => void };

/** Actions on several results together. */
function Together({ items, culling, onCompare }: TogetherProps) {
  const rest = items.filter(({ id }) => !culling.kept.has(id));
  return (
    <div className={classes['together']}>
      <Text fz="sm" c="dimmed">
        {items.length} results
      </Text>
      <Button variant="default" leftSection={<Icon name="compare" size={14} />} onClick={onCompare}>
        Compare {items.length === 2 ? 'both' : 'them'}
      </Button>
      {rest.length > 0 && rest.length < items.length && (
        <Button
          variant="default"
          leftSection={<Icon name="trash" size={14} />}
          onClick={() => culling.discard(rest)}
        >
          Discard the other {rest.length}
        </Button>
      )}
    </div>
  );
}

/** Moves the focus to a picture, or to the button that uncovers it. Without a picture, moves it to the section. */
function focusImage(section: HTMLElement | null, id = ''): void {
  const buttons = section?.querySelectorAll<HTMLElement>(`[data-item="${CSS.escape(id)}"] button`);
  const first = [...(buttons ?? [])].find((button) => button.checkVisibility());
  (first ?? section)?.focus({ preventScroll: true });
}

type RunProps = Pick<ResultProps, 'rows' | 'marked' | 'mark'> & {
  id: string;
  label: string | undefined;
  /** No other run is shown. */
  alone: boolean;
  watching: Watching;
  culling: Culling;
  onMade: (
    change: (before: ReadonlyMap<string, readonly MediaItem[]>) => Map<string, readonly MediaItem[]>,
  ) => void;
  onLarge: (id: string) => void;
};

function Run({ id, label, alone, rows, watching, culling, marked, mark, onMade, onLarge }: RunProps) {
  const { generation, error, retry } = useGeneration(id, rows);
  const outputs = generation?.outputs;
  useEffect(() => {
    if (outputs !== undefined && outputs.length > 0)
      onMade((before) => new Map(before).set(id, outputs.map(itemOfOutput)));
  }, [id, outputs, onMade]);
  if (generation === undefined)
    return (
      <div className={classes['cell']} aria-busy={error === null}>
        {error !== null && (
          <ProblemAlert error={error} title="The result could not be read" onRetry={retry} />
        )}
      </div>
    );
  if (generation.outputs.length === 0 || !isFinal(generation))
    return (
      <div className={classes['cell']}>
        <div className={classes['waiting']}>
          <NotMade generation={generation} watching={watching} />
        </div>
        <RunFacts generation={generation} label={label} />
      </div>
    );
  const shown = generation.outputs.map(itemOfOutput).filter((item) => !culling.discarded.has(item.id));
  if (shown.length === 0 && alone)
    return (
      <div className={classes['cell']}>
        <div className={classes['waiting']}>
          <Text fz="sm" c="dimmed">
            What it made was discarded.
          </Text>
        </div>
        <RunFacts generation={generation} />
      </div>
    );
  return (
    <>
      {shown.map((item, i) => (
        <div key={item.id} className={classes['cell']} style={ratioOf(item)}>
          <ResultImage
            {...{ item, generation, culling, onLarge }}
            mark={() => mark({ item, label })}
            marked={marked.includes(item.id)}
          />
          {i === 0 && <RunFacts generation={generation} label={label} />}
          {i === 0 && <GenerationError generation={generation} />}
        </div>
      ))}
    </>
  );
}

function NotMade({ generation, watching }: { generation: Generation; watching: Watching }) {
  if (!isFinal(generation)) return <LiveProgress generation={generation} watching={watching} />;
  if (generation.status === 'canceled')
    return (
      <Text fz="sm" c="dimmed">
        It was canceled before it began, and costs nothing.
      </Text>
    );
  return <GenerationError generation={generation} />;
}

function ratioOf({ width, height }: MediaItem): CSSProperties {
  const ratio = width !== null && height !== null && height > 0 ? width / height : 1;
  return { '--ratio': ratio } as CSSProperties;
}
