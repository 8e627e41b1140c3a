import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { v1Query } from '../../api/queries.ts';
import { ItemActions } from '../../media/ItemActions.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import { OutputFavorite } from '../../media/OutputFavorite.tsx';
import { OutputGrid } from '../../media/OutputGrid.tsx';
import { Credits } from '../../ui/Credits.tsx';
import { Facts } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { countOf } from '../../format/numbers.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { DeliveriesTable } from '../../deliveries/DeliveriesTable.tsx';
import { isFinal, whatToDo } from '../../generations/generation-status.ts';
import classes from './generations.module.css';
import { RequestSection } from './RequestSection.tsx';
import { Timeline } from './Timeline.tsx';

/** Everything that is known of a generation. */
export function GenerationView({ detail }: { detail: GenerationDetail }) {
  const { generation, key, prompt, request } = detail;
  const metadata = Object.entries(generation.metadata);
  return (
    <div className={classes['layout']}>
      <div className={classes['main']}>
        <Outcome generation={generation} />
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
          <Facts
            facts={[
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
        {metadata.length > 0 && (
          <Section title="Metadata">
            <Facts facts={metadata} />
          </Section>
        )}
      </div>
    </div>
  );
}

/** Fixed at the start; what came to nothing is given back, or was never taken. */
function Cost({ generation: { status, cost } }: { generation: Generation }) {
  return (
    <>
      <Credits amount={cost.credits} />
      {status === 'failed' && ', given back'}
      {status === 'canceled' && ', not taken'}
    </>
  );
}

/** What people call a project, or its id where it can no longer be asked for; leads to what is in it. */
function ProjectTitle({ id }: { id: string }) {
  const project = useQuery({ ...v1Query('getProject', { params: { id } }), retry: false });
  return (
    <TextLink to="/library" search={{ project_id: id }}>
      {project.data?.title ?? id}
    </TextLink>
  );
}

function Outcome({ generation }: { generation: Generation }) {
  const { status, outputs, error, expected_outputs: expected } = generation;
  return (
    <>
      {error !== null && (
        <Notice
          tone={status === 'succeeded' ? 'warning' : 'bad'}
          title={
            status === 'succeeded'
              ? `${outputs.length} of ${countOf(expected, 'output')} were made`
              : 'It failed'
          }
        >
          <div>{error.message}</div>
          <div>{whatToDo(error.code)}</div>
          <Text fz="xs" c="dimmed" mt={4}>
            <code>{error.code}</code>
          </Text>
        </Notice>
      )}
      {outputs.length > 0 && (
        <OutputGrid
          items={outputs.map(itemOfOutput)}
          details={(item) => (
            <ItemActions item={item}>
              <OutputFavorite item={item} />
            </ItemActions>
          )}
        />
      )}
      {!isFinal(generation) && (
        <Text fz="sm" c="dimmed" role="status">
          {status === 'queued'
            ? 'It waits for its turn; this page shows by itself when it goes on.'
            : 'The studio is at it; this page shows by itself what comes of it.'}
        </Text>
      )}
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

/** The whole prompt; the row has its beginning alone. */
function promptOf(body: string): string | undefined {
  try {
    const prompt = (JSON.parse(body) as { prompt?: unknown }).prompt;
    return typeof prompt === 'string' && prompt !== '' ? prompt : undefined;
  } catch {
    return undefined;
  }
}
