import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { emptyForm, type FormValues } from '../../model-form/form-values.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { readDraft } from './drafts.ts';
import type { InitialForm } from './use-initial-form.ts';
import type { Start } from './use-start.ts';

/** How long the toast is shown, in milliseconds; longer while the pointer is on it. */
const undoMs = 10_000;

/** Offers to restore the form that was replaced. `told` is the message about the replacement. */
export function useReplacedForm(initial: InitialForm, told: string | undefined, begin: Start['begin']): void {
  const { account } = useSignedIn();
  useEffect(() => {
    // The earlier form was stored when the person left it. The new form is stored a moment later.
    const replaced = readDraft(account.id, initial.kind);
    if (told === undefined || replaced === undefined) return undefined;
    if ([emptyForm, initial.values].some((values) => isSame(values, replaced.values))) return undefined;
    const id = notifications.show({
      autoClose: undoMs,
      closeButtonProps: { 'aria-label': 'Dismiss' },
      message: (
        <Group justify="space-between">
          {told}
          <Button
            size="compact-sm"
            variant="default"
            aria-label="Undo the change of the form"
            onClick={() => begin(replaced.kind, replaced)}
          >
            Undo
          </Button>
        </Group>
      ),
    });
    return () => void notifications.hide(id);
    // The initial form does not change while it is mounted.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}

function isSame(one: FormValues, other: FormValues): boolean {
  return JSON.stringify({ ...one, strokes: [] }) === JSON.stringify({ ...other, strokes: [] });
}
