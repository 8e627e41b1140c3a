import { notificationsStore } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState } from 'react';

// Where it cannot be fetched (no network, another release meanwhile), the page stays as it is.
const ToastList = lazy(async () => ({
  default: await import('./ToastList.tsx').then(
    (loaded) => loaded.ToastList,
    () => () => null,
  ),
}));

/** Where toasts appear. It is fetched with the first of them, which waits for it. */
export function Toasts() {
  const [wanted, setWanted] = useState(false);
  useEffect(() => notificationsStore.subscribe(() => setWanted(true)), []);
  return wanted ? (
    <Suspense>
      <ToastList />
    </Suspense>
  ) : null;
}
