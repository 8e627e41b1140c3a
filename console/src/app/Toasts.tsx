import { notificationsStore } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState } from 'react';

// If the code cannot be loaded (no network, or a new release), the page shows no toasts.
const ToastList = lazy(async () => ({
  default: await import('./ToastList.tsx').then(
    (loaded) => loaded.ToastList,
    () => () => null,
  ),
}));

/** Shows toasts. Its code is loaded with the first toast, which waits for it. */
export function Toasts() {
  const [wanted, setWanted] = useState(false);
  useEffect(() => notificationsStore.subscribe(() => setWanted(true)), []);
  return wanted ? (
    <Suspense>
      <ToastList />
    </Suspense>
  ) : null;
}
