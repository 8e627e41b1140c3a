import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ListPreview } from '@renderkit/contract/studio/administration/lists.ts';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { formatCount } from '../../../format/numbers.ts';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { ActProblem } from '../ActProblem.tsx';
import { Differences } from '../../../ui/Differences.tsx';
import classes from './lists.module.css';

type ReviewModalProps = {
  /** "plans". */
  what: string;
  opened: boolean;
  onClose: () => void;
  preview: UseQueryResult<ListPreview>;
  publish: UseMutationResult<unknown, Error, void>;
};

/**
 * Shows the changes of an edited list and whom they affect, before the list is published.
 * `studio/src/administration/preview-list.ts` finds the changes.
 */
export function ReviewModal({ what, opened, onClose, preview, publish }: ReviewModalProps) {
  const changes = preview.data?.changes ?? [];
  const refused = changes.some(({ problem }) => problem !== null);
  const isSame = preview.data !== undefined && changes.length === 0 && !preview.data.reordered;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={`What changes for whom`}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        {preview.error !== null && <ProblemAlert error={preview.error} title="It cannot be published so" />}
        {preview.isFetching && <ListSkeleton rows={2} />}
        {!preview.isFetching && preview.data !== undefined && (
          <>
            {isSame && <Text fz="sm">Nothing: this is what is published.</Text>}
            {preview.data.reordered && (
              <Notice>The order changes. New accounts have the first plan of the list.</Notice>
            )}
            {changes.map((change) => (
              <Change key={`${change.change} ${change.id}`} change={change} />
            ))}
          </>
        )}
        <ActProblem
          error={publish.error}
          title={`The ${what} were not published`}
          onRetry={() => publish.mutate()}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Go on editing
          </Button>
          <Button
            loading={publish.isPending}
            disabled={preview.data === undefined || preview.isFetching || refused || isSame}
            onClick={() => publish.mutate()}
          >
            Publish the {what}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const verbs = { added: 'is new', changed: 'changes', removed: 'goes' } as const;

function Change({ change }: { change: ListPreview['changes'][number] }) {
  const { name, change: kind, accounts, differences, problem } = change;
  return (
    <section className={classes['change']}>
      <Text fz="sm" fw={560}>
        {name} {verbs[kind]}
        <Text component="span" fz="sm" c="dimmed" fw={400}>
          {accounts === null ? ', for everybody' : `, for ${formatCount(accounts, 'account')}`}
        </Text>
      </Text>
      {problem !== null && (
        <Notice tone="bad" mt={6}>
          {problem}
        </Notice>
      )}
      {kind === 'changed' && <Differences differences={differences} />}
    </section>
  );
}
