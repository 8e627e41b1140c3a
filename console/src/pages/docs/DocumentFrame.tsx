import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from './docs.module.css';
import { showScheme } from './show-scheme.ts';

type DocumentFrameProps = {
  /** Path of the document on this server. */
  path: string;
  title: string;
  /** A link within the document led to another one. */
  onMoved: (path: string) => void;
};

/**
 * A document of the service within the page. Its own bar of links goes, for the console has one, and what is chosen
 * in the document is told to the console, whose address says what is shown.
 */
export function DocumentFrame({ path, title, onMoved }: DocumentFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [first] = useState(path);
  const [ready, setReady] = useState(false);
  const scheme = useComputedColorScheme('light');

  useEffect(() => {
    const shown = frame.current?.contentWindow?.location;
    if (shown === undefined || shown.pathname === path || shown.href === 'about:blank') return;
    setReady(false);
    shown.replace(path);
  }, [path]);

  const arrived = () => {
    const inner = frame.current?.contentDocument;
    if (inner == null) return;
    inner.querySelector('.bar')?.remove();
    inner.documentElement.style.setProperty('--scalar-custom-header-height', '0px');
    showScheme(inner, scheme);
    setReady(true);
    const shown = frame.current?.contentWindow?.location.pathname;
    if (shown !== undefined && shown !== path) onMoved(shown);
  };
  return (
    <iframe
      ref={frame}
      key={scheme}
      className={classes['document']}
      data-ready={ready}
      src={first}
      title={title}
      onLoad={arrived}
    />
  );
}
