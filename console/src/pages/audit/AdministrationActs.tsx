import { Button, Modal, Text } from '@mantine/core';
import type { AdministrationAct } from '@renderkit/contract/studio/administration/audit.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleQuery } from '../../api/queries.ts';
import { differencesOf } from '../../format/differences.ts';
import { formatCount } from '../../format/numbers.ts';
import { type Column, DataTable, NoWrap } from '../../ui/DataTable.tsx';
import { Differences } from '../../ui/Differences.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Time } from '../../ui/Time.tsx';

const askEveryMs = 10_000;

type ActsProps = { page: number | undefined; onPage: (page: number) => void };

/** Lists actions on backends, models, plans and styles, and what each changed. */
export function AdministrationActs({ page, onPage }: ActsProps) {
  const acts = useQuery({
    ...consoleQuery('listAdministrationAudit', { query: { ...(page !== undefined && { page }) } }),
    refetchInterval: askEveryMs,
  });
  const [shown, setShown] = useState<AdministrationAct>();
  return (
    <>
      {acts.error !== null && <ProblemAlert error={acts.error} title="The acts could not be read" />}
      {acts.isPending && <ListSkeleton />}
      {acts.data?.acts.length === 0 && (
        <EmptyState icon="audit" title="Nothing was done">
          Whatever somebody does with backends, models, plans or styles is written here.
        </EmptyState>
      )}
      {acts.data !== undefined && acts.data.acts.length > 0 && (
        <DataTable
          label="Acts of administration"
          rows={acts.data.acts}
          rowKey={(act) => act.id}
          stale={acts.isPlaceholderData}
          columns={[
            ...columns,
            { title: 'What changed', cell: (act) => <Change act={act} onShow={setShown} /> },
          ]}
          footer={<Pager page={page ?? 1} hasMore={acts.data.has_more} onPage={onPage} />}
        />
      )}
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        size="lg"
        title={shown && `${actLabel(shown.action)}: ${subjectOf(shown)}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown !== undefined && <Differences differences={differencesOf(shown.before, shown.after)} />}
      </Modal>
    </>
  );
}

const columns: Column<AdministrationAct>[] = [
  {
    title: 'When',
    cell: (act) => (
      <NoWrap>
        <Time at={act.at} />
      </NoWrap>
    ),
  },
  {
    title: 'What',
    cardHead: true,
    minWidth: '9rem',
    cell: (act) => (
      <Text fz="sm" fw={560}>
        {actLabel(act.action)}
      </Text>
    ),
  },
  {
    title: 'To what',
    minWidth: '7rem',
    ownLine: true,
    cell: (act) => (
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {subjectOf(act)}
      </Text>
    ),
  },
  { title: 'By whom', ownLine: true, cell: (act) => actorOf(act) },
];

/** Shows how many values changed, with a button to see them. */
function Change({ act, onShow }: { act: AdministrationAct; onShow: (act: AdministrationAct) => void }) {
  const differences = differencesOf(act.before, act.after);
  if (differences.length === 0) return '—';
  const count = formatCount(differences.length, 'value');
  return (
    <Button
      variant="default"
      aria-label={`${count}: ${actLabel(act.action)}, ${subjectOf(act)}`}
      onClick={() => onShow(act)}
    >
      {count}
    </Button>
  );
}

const labels: Readonly<Record<string, string>> = {
  'backend.added': 'Added a backend',
  'credit_value.changed': 'Changed what a credit is worth',
  'backend.changed': 'Changed a backend',
  'backend.drained': 'Drained a backend',
  'backend.resumed': 'Resumed a backend',
  'backend.removed': 'Removed a backend',
  'model.version_added': 'Added a version of a model',
  'model.draft_changed': 'Changed a draft of a model',
  'model.published': 'Published a model',
  'model.paused': 'Paused a model',
  'model.resumed': 'Resumed a model',
  'model.retired': 'Retired a model',
  'model.revived': 'Made a retired model a draft again',
  'model.sample_stopped': 'Stopped samples of a model',
  'model.sampled': 'Rendered a sample',
  'plans.published': 'Published plans',
  'styles.published': 'Published styles',
  'suggestions.published': 'Published suggestions',
  'moderation.applied': 'Applied the rules of moderation',
  'account.administrator_set': 'Set whether an account administers',
};

/** Returns the label of an action, or its name when the console has no label. */
function actLabel(action: string): string {
  return labels[action] ?? action;
}

/** Returns the name in a subject: `gpu1` of `backend:gpu1`. */
function subjectOf({ subject }: AdministrationAct): string {
  return subject.slice(subject.indexOf(':') + 1);
}

function actorOf({ actor }: AdministrationAct): string {
  switch (actor.kind) {
    case 'operator':
      return 'The operator';
    case 'file':
      return 'A file';
    case 'product':
      return 'The product';
    case 'administrator':
      return actor.email ?? 'An account that is gone';
  }
}
