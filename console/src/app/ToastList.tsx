import { Notifications } from '@mantine/notifications';

/** The toasts that are shown now, in the corner of the window. */
export function ToastList() {
  return <Notifications position="bottom-right" containerWidth={380} zIndex={400} />;
}
