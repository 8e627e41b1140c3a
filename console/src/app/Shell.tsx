import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSignedIn } from '../session/use-signed-in.ts';
import { Brand } from '../ui/Brand.tsx';
import { Icon } from '../ui/Icon.tsx';
import { useStrayDrops } from '../ui/use-stray-drops.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { Navigation } from './Navigation.tsx';
import { sayWhoIsSignedIn } from './other-account.ts';
import { Shortcuts } from './Shortcuts.tsx';
import classes from './shell.module.css';

const NavigationDrawer = lazy(async () => ({
  default: (await import('./NavigationDrawer.tsx')).NavigationDrawer,
}));

/** The frame of every page for a signed-in person. */
export function Shell() {
  useStrayDrops();
  const { email } = useSignedIn().account;
  useEffect(() => sayWhoIsSignedIn(email), [email]);
  const [wanted, setWanted] = useState(false);
  const [opened, drawer] = useDisclosure(false, { onOpen: () => setWanted(true) });
  return (
    <div className={classes['shell']}>
      <a href="#main" className={classes['skip']}>
        Skip to the page
      </a>
      <aside className={classes['side']}>
        <Link to="/" className={classes['home']}>
          <Brand />
        </Link>
        <Navigation />
        <AccountMenu />
      </aside>
      <nav aria-label="Top" className={classes['bar']}>
        <ActionIcon size="lg" aria-label="Open the navigation" onClick={drawer.open}>
          <Icon name="menu" size={20} />
        </ActionIcon>
        <Link to="/" className={classes['home']}>
          <Brand />
        </Link>
      </nav>
      {wanted && (
        <Suspense>
          <NavigationDrawer opened={opened} onClose={drawer.close} />
        </Suspense>
      )}
      <Shortcuts />
      <main id="main" className={classes['main']} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
