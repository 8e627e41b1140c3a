import { notifications } from '@mantine/notifications';
import { ProblemError, sentenceOf } from '../api/errors.ts';

/** Says in a corner of the page that something was done. */
export function tell(message: string): void {
  notifications.show({ message, autoClose: 4_000, closeButtonProps: { 'aria-label': 'Dismiss' } });
}

/** Says in a corner of the page that something was refused, and why. It stays until it is dismissed. */
export function tellProblem(error: Error): void {
  const requestId = error instanceof ProblemError ? error.requestId : undefined;
  notifications.show({
    color: 'red',
    title: sentenceOf(error),
    message: requestId === undefined ? '' : `Request ${requestId}`,
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
