import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { consoleQuery } from '../api/queries.ts';
import { formatDuration } from '../format/durations.ts';
import { parseJson } from '../format/json.ts';
import { MediaView } from '../media/MediaView.tsx';
import { itemOfAsset, itemOfOutput, type MediaItem } from '../media/media-item.ts';
import { useStoredMask } from '../media/use-stored-mask.ts';
import { useUpload } from '../media/use-reference.ts';
import { Credits } from '../ui/Credits.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { kinds, type RequestBody } from './kind-labels.ts';
import { settingsOf, sourcesOf } from './made-with.ts';
import classes from './provenance.module.css';

/** How many outputs made from this one are shown. */
const maxChildren = 12;

/** Shows the provenance of an output. Loads it when it is shown. */
export function ProvenanceOf({ id, output }: { id: string; output: string }) {
  const detail = useQuery({
    ...consoleQuery('getGenerationDetail', { params: { id } }),
    placeholderData: undefined,
  });
  if (detail.error !== null)
    return <ProblemAlert error={detail.error} title="How it was made could not be read" />;
  if (detail.data === undefined) return <Skeleton h={160} aria-busy="true" aria-label="Loading" />;
  return (
    <Stack gap="xs">
      <Provenance detail={detail.data} output={output} />
      <Group gap="md">
        <TextLink to="/playground" search={{ from: id, generation: id }}>
          Take up its request
        </TextLink>
        <TextLink to="/generations/$id" params={{ id }}>
          See the generation
        </TextLink>
      </Group>
    </Stack>
  );
}

/**
 * Shows prompt, model and version, seed, settings, cost, time, backend, the sources of the output, and outputs made
 * from it. `service/src/generations/provenance.ts` makes the record of each output.
 */
export function Provenance({ detail, output }: { detail: GenerationDetail; output: string }) {
  const { generation, prompt, request } = detail;
  const made = detail.provenance.find(({ id }) => id === output);
  const { seed = null, model_version: version = null, backend = null, seconds = null } = made ?? {};
  const body = (parseJson(request.body) ?? {}) as RequestBody;
  const whole = typeof body['prompt'] === 'string' ? body['prompt'] : prompt;
  return (
    <Stack gap="sm">
      {whole !== null && whole !== '' && (
        <Text fz="sm" className={classes['prompt']}>
          {whole}
        </Text>
      )}
      <DescriptionList
        items={[
          ['Kind', kinds[generation.kind].name],
          ['Model', version === null ? generation.model : `${generation.model}, version ${version}`],
          // The random seed, when the request has none.
          ['Seed', seed ?? undefined],
          ...settingsOf(body).filter(([name]) => name !== 'Seed' || seed === null),
          ['Cost', <Credits key="cost" amount={generation.cost.credits} />],
          ['Time', seconds === null ? undefined : formatDuration(seconds * 1_000)],
          ['Backend', backend ?? undefined],
        ]}
      />
      <Sources body={body} />
      <Children of={output} />
    </Stack>
  );
}

/** The sources of the output: links for items of the library, names for the rest. */
function Sources({ body }: { body: RequestBody }) {
  const sources = sourcesOf(body);
  if (sources.length === 0) return null;
  return (
    <Relatives title="Made from">
      {sources.map(({ name, value }, i) => (
        // A source may occur twice.
        <li key={`${i} ${value}`}>
          {value.startsWith('ast_') ? (
            <SourceItem id={value} name={name} />
          ) : (
            <SentItem id={value} name={name} />
          )}
        </li>
      ))}
    </Relatives>
  );
}

/** The outputs made from this one, newest first. */
function Children({ of: source }: { of: string }) {
  const found = useQuery({
    // Failed generations made no outputs and would take the places of others.
    ...consoleQuery('listGenerationRows', { query: { source, status: 'succeeded', limit: maxChildren } }),
    placeholderData: undefined,
  });
  const children = (found.data?.data ?? []).flatMap(({ generation: { kind, outputs } }) =>
    outputs.map((output) => ({ item: itemOfOutput(output), name: kinds[kind].name })),
  );
  if (children.length === 0) return null;
  return (
    <Relatives title="Made from it">
      {children.slice(0, maxChildren).map(({ item, name }) => (
        <li key={item.id}>
          <RelativeLink item={item} name={name} />
        </li>
      ))}
    </Relatives>
  );
}

function Relatives({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text fz="xs" c="dimmed" mb={4}>
        {title}
      </Text>
      <ul className={classes['sources']} aria-label={title}>
        {children}
      </ul>
    </div>
  );
}

function SourceItem({ id, name }: { id: string; name: string }) {
  const found = useQuery({
    ...consoleQuery('listLibraryItems', { query: { id } }),
    placeholderData: undefined,
  });
  const [item] = found.data?.data ?? [];
  if (item === undefined)
    return <SourceName name={found.isPending ? name : `${name}, no longer in the library`} />;
  return <RelativeLink item={itemOfAsset(item.asset)} name={name} />;
}

/** A picture or mask that was sent, while it still exists. */
function SentItem({ id, name }: { id: string; name: string }) {
  const isMask = name === 'Mask' && id.startsWith('upl_');
  const { address: mask } = useStoredMask(isMask ? id : undefined);
  const { upload } = useUpload(isMask ? '' : id);
  const address = upload?.type === 'image' && upload.status === 'ready' ? upload.url : mask;
  if (address === undefined) return <SourceName name={name} />;
  return (
    <span className={classes['source']}>
      <img className={classes['thumb']} src={address} alt="" />
      {name}
    </span>
  );
}

function RelativeLink({ item, name }: { item: MediaItem; name: string }) {
  return (
    <Link to="/library" search={{ item: item.id }} className={classes['source']}>
      <span className={classes['thumb']}>
        <MediaView item={item} small fill inert alt="" />
      </span>
      {name}
    </Link>
  );
}

function SourceName({ name }: { name: string }) {
  return (
    <Text fz="xs" c="dimmed">
      {name === 'Mask' ? 'With a mask' : name}
    </Text>
  );
}
