import { notifications } from '@mantine/notifications';
import { requestIdOf, sentenceOf } from '../api/errors.ts';

/** Shows for 4 seconds that something was done. */
export function showToast(message: string): void {
  notifications.show({ message, autoClose: 4_000, closeButtonProps: { 'aria-label': 'Dismiss' } });
}

/** Shows that a request was refused, and why, until it is dismissed. */
export function showErrorToast(error: Error): void {
  const requestId = requestIdOf(error);
  notifications.show({
    color: 'red',
    title: sentenceOf(error),
    message: requestId === undefined ? '' : `Request ${requestId}`,
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
