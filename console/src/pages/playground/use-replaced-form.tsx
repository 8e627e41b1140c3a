import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { emptyForm, type FormValues } from '../../model-form/form-values.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { readDraft } from './drafts.ts';
import type { InitialForm } from './use-initial-form.ts';
import type { Start } from './use-start.ts';

/** Milliseconds for which the toast is there, more while the pointer is on it. */
const undoMs = 10_000;

/** Offers the form of the kind back that was kept until now, where `told` says what took its place. */
export function useReplacedForm(initial: InitialForm, told: string | undefined, begin: Start['begin']): void {
  const { account } = useSignedIn();
  useEffect(() => {
    // Leaving the form before has kept it, and this one is kept a moment later.
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
    // What a form begins with stays the same as long as it is there.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}

function isSame(one: FormValues, other: FormValues): boolean {
  return JSON.stringify({ ...one, strokes: [] }) === JSON.stringify({ ...other, strokes: [] });
}
