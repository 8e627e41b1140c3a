import { notifications } from '@mantine/notifications';
import { requestIdOf, sentenceOf } from '../api/errors.ts';

/** Shows for 4 seconds that an action was done. */
export function showToast(message: string): void {
  notifications.show({ message, autoClose: 4_000, closeButtonProps: { 'aria-label': 'Dismiss' } });
}

/** Shows important information until it is dismissed. */
export function showNotice(title: string, message: string): void {
  notifications.show({ title, message, autoClose: false, closeButtonProps: { 'aria-label': 'Dismiss' } });
}

/** Shows the error of a refused request until it is dismissed. `what` is the title: the action that was not done. */
export function showErrorToast(error: Error, what?: string): void {
  const requestId = requestIdOf(error);
  const request = requestId === undefined ? '' : `Request ${requestId}`;
  notifications.show({
    color: 'red',
    title: what ?? sentenceOf(error),
    message: what === undefined ? request : `${sentenceOf(error)} ${request}`,
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
