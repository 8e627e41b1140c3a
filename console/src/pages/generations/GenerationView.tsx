import { Text } from '@mantine/core';
import type { GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { v1Query } from '../../api/queries.ts';
import { DeliveriesTable } from '../../deliveries/DeliveriesTable.tsx';
import { formatDuration } from '../../format/durations.ts';
import { parseJson, prettyJson } from '../../format/json.ts';
import { GenerationError } from '../../generations/GenerationError.tsx';
import { LiveProgress } from '../../generations/LiveProgress.tsx';
import { Provenance } from '../../generations/Provenance.tsx';
import { RequestSamples } from '../../generations/RequestSamples.tsx';
import { isFinal, refundOf, timelineOf } from '../../generations/generation-status.ts';
import type { RequestBody } from '../../generations/kind-labels.ts';
import { OutputFavoriteButton } from '../../media/FavoriteButton.tsx';
import { ItemActions } from '../../media/ItemActions.tsx';
import { OutputGrid } from '../../media/OutputGrid.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import { Credits } from '../../ui/Credits.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { EngineErrors } from './EngineErrors.tsx';
import classes from './generations.module.css';

/** All facts about a generation. */
export function GenerationView({ detail }: { detail: GenerationDetail }) {
  const { generation, key, prompt, request } = detail;
  const metadata = Object.entries(generation.metadata);
  return (
    <div className={classes['layout']}>
      <div className={classes['main']}>
        <Outcome detail={detail} />
        {generation.error !== null && <EngineErrors generation={generation.id} />}
        {prompt !== null && (
          <Section title="Prompt" card={false}>
            <p className={classes['promptText']}>{promptOf(request.body) ?? prompt}</p>
          </Section>
        )}
        <RequestSection request={request} />
        <EventSection detail={detail} />
      </div>
      <div className={classes['beside']}>
        <Section title="Progress">
          <Timeline generation={generation} />
        </Section>
        <Section title="Facts">
          <DescriptionList
            items={[
              ['Status', <StatusBadge key="status" status={generation.status} />],
              ['Cost', <Cost key="cost" generation={generation} />],
              [
                'Key',
                <TextLink key="key" to="/generations" search={{ key_id: key.id }}>
                  {key.name}
                </TextLink>,
              ],
              ['Model', generation.model],
              ['Outputs', `${generation.outputs.length} of ${generation.expected_outputs}`],
              [
                'Project',
                generation.project_id === null ? undefined : (
                  <ProjectTitle key="project" id={generation.project_id} />
                ),
              ],
              ['Id', <Id key="id" id={generation.id} what="id" />],
            ]}
          />
        </Section>
        {generation.outputs.map(({ id }, i) => (
          <Section key={id} title={madeTitle(i, generation.outputs.length)}>
            <Provenance detail={detail} output={id} />
          </Section>
        ))}
        {metadata.length > 0 && (
          <Section title="Metadata">
            <DescriptionList items={metadata} />
          </Section>
        )}
      </div>
    </div>
  );
}

function madeTitle(index: number, count: number): string {
  return count === 1 ? 'How it was made' : `How output ${index + 1} was made`;
}

/** The cost, which was fixed at the start, and the refund. */
function Cost({ generation }: { generation: Generation }) {
  const refund = refundOf(generation);
  return (
    <>
      <Credits amount={generation.cost.credits} />
      {refund !== undefined && `, ${refund}`}
    </>
  );
}

/** The title of a project, or its id when the project no longer exists. */
function ProjectTitle({ id }: { id: string }) {
  const project = useQuery({ ...v1Query('getProject', { params: { id } }), retry: false });
  return (
    <TextLink to="/projects/$id" params={{ id }}>
      {project.data?.title ?? id}
    </TextLink>
  );
}

function Outcome({ detail }: { detail: GenerationDetail }) {
  const { generation } = detail;
  const { status, outputs, error } = generation;
  return (
    <>
      <GenerationError generation={generation}>
        <Text fz="xs" c="dimmed" mt={4}>
          <code>{error?.code}</code>
        </Text>
      </GenerationError>
      {outputs.length > 0 && (
        <OutputGrid
          items={outputs.map(itemOfOutput)}
          details={(item) => (
            <>
              <ItemActions item={item}>
                <OutputFavoriteButton item={item} />
              </ItemActions>
              <Provenance detail={detail} output={item.id} />
            </>
          )}
        />
      )}
      {!isFinal(generation) && <LiveProgress generation={generation} />}
      {status === 'canceled' && (
        <Text fz="sm" c="dimmed">
          It was canceled while it waited. It cost nothing, and no event was sent.
        </Text>
      )}
    </>
  );
}

function EventSection({ detail: { event, generation } }: { detail: GenerationDetail }) {
  if (event === null)
    return generation.status === 'canceled' ? null : (
      <Section title="Event">
        <Text fz="sm" c="dimmed">
          {isFinal(generation)
            ? 'There is none.'
            : 'It is written when the generation has succeeded or failed.'}
        </Text>
      </Section>
    );
  return (
    <Section title={`Event ${event.type}`} card={event.deliveries.length === 0}>
      {event.deliveries.length === 0 ? (
        <Text fz="sm" c="dimmed">
          No endpoint was subscribed to it. Endpoints are set up under Webhooks.
        </Text>
      ) : (
        <DeliveriesTable deliveries={event.deliveries} without={['Attempts', 'Event happened']} />
      )}
    </Section>
  );
}

/** The steps of a generation with their times, and how long each step took. */
function Timeline({ generation }: { generation: Generation }) {
  return (
    <ol className={classes['timeline']}>
      {timelineOf(generation).map(({ name, at, took }) => (
        <li key={name} className={classes['step']} data-open={at === null} data-bad={name === 'Failed'}>
          <div>{name}</div>
          <div className={classes['took']}>
            {at === null ? 'Not yet' : <Time at={at} />}
            {took !== undefined && `, after ${formatDuration(took)}`}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** The accepted request, also as program code. */
function RequestSection({ request: { method, path, body: text } }: Pick<GenerationDetail, 'request'>) {
  const body = parseJson(text) as RequestBody | undefined;
  return (
    <Section title={`${method} ${path}`} card={false}>
      <RequestSamples label="Request" path={path} body={body} json={prettyJson(text)} />
    </Section>
  );
}

/** Returns the whole prompt of a request. The generation's row has only its beginning. */
function promptOf(body: string): string | undefined {
  const prompt = (parseJson(body) as { prompt?: unknown } | null | undefined)?.prompt;
  return typeof prompt === 'string' && prompt !== '' ? prompt : undefined;
}
