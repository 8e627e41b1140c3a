import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Brand } from '../../ui/Brand.tsx';
import classes from './sign-in-layout.module.css';

/** The layout of the pages for people who are not signed in. */
export function SignInLayout({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Renderkit`;
  }, [title]);
  return (
    <main className={classes['layout']}>
      <div className={classes['card']}>
        <Brand size={28} />
        <Title order={1} fz="1.3rem" tabIndex={-1} className={classes['title']}>
          {title}
        </Title>
        {children}
      </div>
    </main>
  );
}
