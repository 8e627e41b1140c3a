import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';

const tones = {
  plain: { color: 'gray', icon: undefined },
  warning: { color: 'yellow', icon: 'warning' },
  bad: { color: 'red', icon: 'warning' },
} as const;

type NoticeProps = {
  tone?: keyof typeof tones;
  title?: string;
  children: ReactNode;
  mt?: number | string;
};

/** A note about the content next to it. Its text has the normal color, because tinted text is hard to read. */
export function Notice({ tone = 'plain', title, children, mt }: NoticeProps) {
  const { color, icon } = tones[tone];
  return (
    <Alert
      color={color}
      variant="light"
      mt={mt}
      title={title}
      icon={icon !== undefined && <Icon name={icon} />}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
      role={tone === 'bad' ? 'alert' : 'note'}
    >
      <Text fz="sm" component="div" c="var(--mantine-color-text)">
        {children}
      </Text>
    </Alert>
  );
}
