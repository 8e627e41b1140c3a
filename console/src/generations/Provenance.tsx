import { Skeleton, Stack, Text } from '@mantine/core';
import type { GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { consoleQuery } from '../api/queries.ts';
import { formatDuration } from '../format/durations.ts';
import { parseJson } from '../format/json.ts';
import { MediaView } from '../media/MediaView.tsx';
import { itemOfAsset } from '../media/media-item.ts';
import { Credits } from '../ui/Credits.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { kinds, type RequestBody } from './kinds.ts';
import { settingsOf, sourcesOf } from './made-with.ts';
import classes from './provenance.module.css';

/** How a generation of the account came to be, read when it is shown. */
export function ProvenanceOf({ id }: { id: string }) {
  const detail = useQuery({
    ...consoleQuery('getGenerationDetail', { params: { id } }),
    placeholderData: undefined,
  });
  if (detail.error !== null)
    return <ProblemAlert error={detail.error} title="How it was made could not be read" />;
  if (detail.data === undefined) return <Skeleton h={160} aria-busy="true" aria-label="Loading" />;
  return (
    <Stack gap="xs">
      <Provenance detail={detail.data} />
      <TextLink to="/generations/$id" params={{ id }}>
        See the generation
      </TextLink>
    </Stack>
  );
}

/** Prompt, model, settings, cost, time, and what it was made from. */
export function Provenance({ detail: { generation, prompt, request } }: { detail: GenerationDetail }) {
  const body = (parseJson(request.body) ?? {}) as RequestBody;
  const { submitted_at: submitted, completed_at: completed } = generation;
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
          ['Model', generation.model],
          ...settingsOf(body),
          ['Cost', <Credits key="cost" amount={generation.cost.credits} />],
          [
            'Time',
            submitted === null || completed === null
              ? undefined
              : formatDuration(Date.parse(completed) - Date.parse(submitted)),
          ],
        ]}
      />
      <Sources body={body} />
    </Stack>
  );
}

/** What it was made from: items of the library as links to them, the rest by name. */
function Sources({ body }: { body: RequestBody }) {
  const sources = sourcesOf(body);
  if (sources.length === 0) return null;
  return (
    <ul className={classes['sources']} aria-label="Made from">
      {sources.map(({ name, value }, i) => (
        // One may be named twice.
        <li key={`${i} ${value}`}>
          {value.startsWith('ast_') ? <SourceItem id={value} name={name} /> : <SourceName name={name} />}
        </li>
      ))}
    </ul>
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
  return (
    <Link to="/library" search={{ item: id }} className={classes['source']}>
      <span className={classes['thumb']}>
        <MediaView item={itemOfAsset(item.asset)} small fill inert alt="" />
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
