import { Notifications } from '@mantine/notifications';

/** The current toasts, in the corner of the window. */
export function ToastList() {
  return <Notifications position="bottom-right" containerWidth={380} zIndex={400} />;
}
