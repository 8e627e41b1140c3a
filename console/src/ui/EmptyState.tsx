import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';
import classes from './empty-state.module.css';

type EmptyStateProps = {
  icon: IconName;
  title: string;
  /** What to do next. */
  children: ReactNode;
  /** The button for the next step. */
  action?: ReactNode;
};

/** Shown instead of an empty list. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <span className={classes['icon']}>
        <Icon name={icon} size={20} />
      </span>
      <Stack gap={4} align="center">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" fz="sm" maw="46ch" ta="center" component="div" className={classes['text'] ?? ''}>
          {children}
        </Text>
      </Stack>
      {action}
    </div>
  );
}
