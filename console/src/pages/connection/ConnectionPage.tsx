import { Alert, Button, Text } from '@mantine/core';
import type { Connection } from '@renderkit/contract/console/schemas/connection.ts';
import type { Account } from '@renderkit/contract/v1/schemas/account.ts';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../../api/queries.ts';
import { changePasswordAddress, signInAddress } from '../../session/sign-in-addresses.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Id } from '../../ui/Id.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { SavedFiles } from './SavedFiles.tsx';

const askEveryMs = 10_000;

const names: Record<Connection['state'], string> = {
  live: 'Connected',
  expired: 'Ended',
  unreachable: 'Out of reach',
};

/** What each state means, and what to do about it. `service/src/console-api/ask-studio.ts` decides the state. */
const meanings: Record<Connection['state'], string> = {
  live: 'The studio honours the connection. Your keys and the console act on this account.',
  expired:
    'The session at the studio has ended. Calls that need the studio are refused and queued generations wait; reconnect, and everything goes on. API keys stay as they are.',
  unreachable:
    'The studio does not answer just now. What is queued waits; nothing is lost. If this lasts, ask whoever runs the studio.',
};

export function ConnectionPage() {
  const connection = useQuery({ ...consoleQuery('getConnection', {}), refetchInterval: askEveryMs });
  const state = connection.data?.state;
  return (
    <Page
      title="Connection"
      description="The studio account that renders for you, and pays with its credits."
      actions={
        <Button
          component="a"
          href={signInAddress('/console/connection')}
          variant={state === 'live' ? 'default' : 'filled'}
          leftSection={<Icon name="refresh" size={14} />}
        >
          Reconnect
        </Button>
      }
    >
      {connection.error !== null && (
        <ProblemAlert error={connection.error} title="The connection could not be read" />
      )}
      {connection.isPending && <ListSkeleton rows={3} />}
      {connection.data !== undefined && <Contents connection={connection.data} />}
      <SavedFiles />
    </Page>
  );
}

function Contents({ connection: { state, studio, account } }: { connection: Connection }) {
  return (
    <>
      {state !== 'live' && (
        <Alert color="orange" icon={<Icon name="warning" />}>
          <Text fz="sm" c="var(--mantine-color-text)">
            {meanings[state]}
          </Text>
        </Alert>
      )}
      <Section title="Studio">
        <DescriptionList
          items={[
            ['State', <StatusBadge key="state" status={state} label={names[state]} />],
            [
              'Address',
              <code key="url" data-whole-row="true">
                {studio.url}
              </code>,
            ],
            ['Account in the studio', <Id key="account" id={studio.account_id} what="id of the account" />],
            ['Studio', <Id key="id" id={studio.id} what="id of the studio" />],
          ]}
        />
        {state === 'live' && (
          <Text fz="xs" c="dimmed" mt="md">
            {meanings.live}
          </Text>
        )}
      </Section>
      {account !== null && <AccountDetails account={account} />}
    </>
  );
}

function AccountDetails({ account }: { account: Account }) {
  const { capabilities: may } = account;
  const { studio_url: studioUrl } = useSignedIn();
  return (
    <>
      <Section
        title="Account"
        actions={
          <Button
            component="a"
            href={changePasswordAddress(studioUrl, account.email)}
            variant="default"
            size="xs"
          >
            Change password
          </Button>
        }
      >
        <DescriptionList
          items={[
            [
              'E-mail',
              <span key="email" data-whole-row="true">
                {account.email ?? '—'}
              </span>,
            ],
            ['Name', account.name ?? '—'],
            ['Plan', account.tier?.name ?? account.tier?.key ?? 'None'],
            ['Kind', account.organization ? 'Organization' : 'Person'],
            ['Models for adults', account.age_verified ? 'Allowed' : 'Not allowed: age not verified'],
          ]}
        />
      </Section>
      <Section title="Capabilities">
        <DescriptionList
          items={[
            ['Uploads', yesNo(may.uploads)],
            ['Video uploads', yesNo(may.video_upload)],
            ['Audio uploads', yesNo(may.audio_upload)],
            ['Own models', yesNo(may.custom_models)],
            [
              'Characters',
              may.character_creation_modes.length === 0 ? 'No' : may.character_creation_modes.join(', '),
            ],
          ]}
        />
      </Section>
    </>
  );
}

function yesNo(value: boolean): string {
  return value ? 'Yes' : 'No';
}
