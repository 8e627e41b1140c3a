import { Button, Text } from '@mantine/core';
import type { Session } from '@renderkit/contract/console/schemas/session.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { consoleQuery } from '../../api/queries.ts';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { type Column, DataTable, NoWrap } from '../../ui/DataTable.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { browserName } from './browser-name.ts';

const askEveryMs = 10_000;

/** `service/src/identity/sessions/open-session.ts` decides how long a session lives. */
export function SessionsPage() {
  const sessions = useQuery({ ...consoleQuery('listSessions', {}), refetchInterval: askEveryMs });
  const [ending, setEnding] = useState<Session>();
  return (
    <Page title="Sessions" description="Browsers in which you are signed in to this console.">
      {sessions.error !== null && (
        <ProblemAlert error={sessions.error} title="The sessions could not be read" />
      )}
      {sessions.isPending && <ListSkeleton rows={3} />}
      {sessions.data !== undefined && (
        <DataTable
          label="Sessions"
          rows={sessions.data.data}
          rowKey={(session) => session.id}
          columns={[
            ...columns,
            {
              title: 'Actions',
              controls: true,
              align: 'right',
              cell: (session) =>
                !session.current && (
                  <Button
                    variant="default"
                    onClick={() => setEnding(session)}
                    aria-label={`End the session of ${browserName(session.user_agent)}`}
                  >
                    End
                  </Button>
                ),
            },
          ]}
        />
      )}
      <Text fz="xs" c="dimmed">
        API keys are no sessions: to shut a program out, revoke its key. This browser signs out by the account
        menu.
      </Text>
      <EndModal session={ending} onClose={() => setEnding(undefined)} />
    </Page>
  );
}

const columns: Column<Session>[] = [
  {
    title: 'Browser',
    cell: (session) => (
      <div>
        <Text fz="sm" fw={560} title={session.user_agent ?? undefined}>
          <NoWrap>{browserName(session.user_agent)}</NoWrap>
        </Text>
        {session.current && <StatusBadge status="active" label="This browser" />}
      </div>
    ),
  },
  { title: 'Address', cell: (session) => <code>{session.address ?? '—'}</code> },
  {
    title: 'Signed in',
    cell: (session) => (
      <NoWrap>
        <Time at={session.created_at} />
      </NoWrap>
    ),
  },
  {
    title: 'Last used',
    cell: (session) => (
      <NoWrap>
        <Time at={session.last_seen_at} relative />
      </NoWrap>
    ),
  },
  {
    title: 'Ends by itself',
    cell: (session) => (
      <NoWrap>
        <Time at={session.expires_at} />
      </NoWrap>
    ),
  },
];

function EndModal({ session, onClose }: { session: Session | undefined; onClose: () => void }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: (id: string) => callConsole('endSession', { params: { id } }),
    meta: { inline: true },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console', 'listSessions'] });
      showToast('The session was ended.');
      onClose();
    },
  });
  return (
    <ConfirmModal
      opened={session !== undefined}
      onClose={onClose}
      title="End this session?"
      action="End session"
      onConfirm={() => session !== undefined && end.mutate(session.id)}
      pending={end.isPending}
      error={end.error}
    >
      <Text fz="sm">
        {browserName(session?.user_agent ?? null)} has to sign in again before it can see or do anything here.
      </Text>
    </ConfirmModal>
  );
}
