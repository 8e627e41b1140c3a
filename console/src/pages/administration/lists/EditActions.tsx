import { Button, Group, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmModal } from '../../../ui/ConfirmModal.tsx';
import { leavesFreely } from '../../../ui/leaving.ts';

type EditActionsProps = {
  list: { isEdited: boolean; discard: () => void };
  onReview: () => void;
  /** More buttons, shown first. */
  children: ReactNode;
};

/** The actions on an edited list. Asks for confirmation when a person leaves with unpublished changes. */
export function EditActions({ list: { isEdited, discard }, onReview, children }: EditActionsProps) {
  return (
    <Group gap="xs">
      {children}
      {isEdited && (
        <Button variant="default" onClick={discard}>
          Discard changes
        </Button>
      )}
      <Button disabled={!isEdited} onClick={onReview}>
        Review changes
      </Button>
      <LeaveQuestion asked={isEdited} />
    </Group>
  );
}

/** Asks before the person leaves the page. Before a reload, the browser asks. */
function LeaveQuestion({ asked }: { asked: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: leadsAway,
    disabled: !asked,
    enableBeforeUnload: () => asked && !leavesFreely(),
    withResolver: true,
  });
  return (
    <ConfirmModal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without publishing?"
      action="Leave"
      onConfirm={() => blocker.proceed?.()}
    >
      <Text fz="sm">What you changed is not in force yet, and goes when you leave.</Text>
    </ConfirmModal>
  );
}

const leadsAway = ({ current, next }: { current: { pathname: string }; next: { pathname: string } }) =>
  current.pathname !== next.pathname && !leavesFreely();
