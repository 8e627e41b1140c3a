import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { Icon } from '../ui/Icon.tsx';
import classes from './account-menu.module.css';

type AccountButtonProps = ComponentPropsWithRef<'button'> & { who: string };

/** Opens the account menu. */
export function AccountButton({ who, ...props }: AccountButtonProps) {
  return (
    <UnstyledButton {...props} className={classes['target']}>
      <span className={classes['initial']} data-initial={who.charAt(0).toUpperCase()} />
      <VisuallyHidden>Account menu of</VisuallyHidden>
      <span className={classes['who']}>{who}</span>
      <Icon name="more" />
    </UnstyledButton>
  );
}
