import { Group, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './section.module.css';

type SectionProps = {
  title: string;
  /** Buttons or links next to the heading. */
  actions?: ReactNode;
  /** Whether the contents have a card around them. `false` when they have their own frame. */
  card?: boolean;
  children: ReactNode;
};

/** A part of a page with its own heading. */
export function Section({ title, actions, card = true, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb={8} gap="xs" mih={30}>
        <Title order={2} fz="0.95rem" id={id}>
          {title}
        </Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {card ? <div className={classes['card']}>{children}</div> : children}
    </section>
  );
}
