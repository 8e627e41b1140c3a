import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Icon } from './Icon.tsx';
import { TextLink } from './TextLink.tsx';
import classes from './page.module.css';

type PageProps = {
  /** The heading, and the title of the window. */
  title: string;
  /** The contents of the heading when it is more than text. */
  heading?: ReactNode;
  /** One sentence below the heading. */
  description?: ReactNode;
  /** The page above this one. */
  parent?: {
    title: string;
    to:
      | '/generations'
      | '/projects'
      | '/webhooks'
      | '/deliveries'
      | '/keys'
      | '/administration/backends'
      | '/administration/models';
  };
  /** Buttons next to the heading. */
  actions?: ReactNode;
  /** `true` outside the shell: the page is then the main landmark of the document. */
  landmark?: boolean;
  children: ReactNode;
};

/** The frame of every page: link back, heading, actions, contents. Navigation moves the focus to the heading. */
export function Page({ title, heading, description, parent, actions, landmark, children }: PageProps) {
  const Frame = landmark === true ? 'main' : 'div';
  return (
    <Frame className={classes['page']}>
      <header className={classes['head']}>
        <div className={classes['text']}>
          {parent !== undefined && (
            <nav aria-label="Breadcrumb" className={classes['crumbs']}>
              <Icon name="left" size={13} />
              <TextLink to={parent.to} c="dimmed">
                {parent.title}
              </TextLink>
            </nav>
          )}
          <PageTitle title={title}>{heading ?? title}</PageTitle>
          {description !== undefined && (
            <Text c="dimmed" fz="sm" mt={4} maw="76ch">
              {description}
            </Text>
          )}
        </div>
        {actions !== undefined && (
          <Group gap="xs" className={classes['actions']}>
            {actions}
          </Group>
        )}
      </header>
      <Stack gap="lg">{children}</Stack>
    </Frame>
  );
}

type PageTitleProps = { title: string; size?: string; children: ReactNode };

/** The heading of a page and the title of the window, for a page with its own frame. */
export function PageTitle({ title, size = '1.35rem', children }: PageTitleProps) {
  useEffect(() => {
    document.title = `${title} · Renderkit`;
  }, [title]);
  return (
    <Title order={1} fz={size} lh={1.3} tabIndex={-1} className={classes['title']}>
      {children}
    </Title>
  );
}
