import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleQuery, live } from '../../api/queries.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { CreateKeyModal } from './CreateKeyModal.tsx';
import { EditKeyModal } from './EditKeyModal.tsx';
import { KeysTable } from './KeysTable.tsx';
import { RevokeKeyModal } from './RevokeKeyModal.tsx';

export function KeysPage() {
  const keys = useQuery({ ...consoleQuery('listKeys', {}), refetchInterval: live });
  const [creating, create] = useDisclosure(false);
  const [edited, setEdited] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  // Returns the newest state of a key: its number of queued generations changes while the dialog is open.
  const current = (key: ApiKey | undefined) => keys.data?.data.find(({ id }) => id === key?.id) ?? key;
  const createButton = (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={create.open}>
      Create API key
    </Button>
  );
  return (
    <Page
      title="API keys"
      description="Programs call the API with a key. What they generate spends the credits of your studio account."
      actions={createButton}
    >
      {keys.error !== null && <ProblemAlert error={keys.error} title="The keys could not be read" />}
      {keys.isPending && <ListSkeleton />}
      {keys.data?.data.length === 0 && (
        <EmptyState icon="keys" title="No API keys yet" action={createButton}>
          Create one, give it to your program as <code>Authorization: Bearer …</code>, and it can generate.
          Here in the console you need none.
        </EmptyState>
      )}
      {keys.data !== undefined && keys.data.data.length > 0 && (
        <>
          <KeysTable keys={keys.data.data} onEdit={setEdited} onRevoke={setRevoked} />
          <Text fz="xs" c="dimmed">
            Spend counts from 00:00 UTC; failed and canceled generations do not count.
          </Text>
        </>
      )}
      <CreateKeyModal opened={creating} onClose={create.close} />
      <EditKeyModal apiKey={edited} onClose={() => setEdited(undefined)} />
      <RevokeKeyModal apiKey={current(revoked)} onClose={() => setRevoked(undefined)} />
    </Page>
  );
}
