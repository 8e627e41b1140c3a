import { Drawer } from '@mantine/core';
import { Brand } from '../ui/Brand.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { Navigation } from './Navigation.tsx';
import classes from './shell.module.css';

/** The navigation of narrow windows. */
export function NavigationDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={270}
      title={<Brand />}
      closeButtonProps={{ 'aria-label': 'Close the navigation' }}
      classNames={{ body: classes['drawer'] ?? '', content: classes['drawerContent'] ?? '' }}
    >
      <Navigation onNavigate={onClose} />
      <AccountMenu />
    </Drawer>
  );
}
