import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from './docs.module.css';

type DocumentFrameProps = {
  /** Path of the document on this server. */
  path: string;
  title: string;
  /** A link within the document led to another one. */
  onMoved: (path: string) => void;
};

/**
 * A document of the service in a frame. The document's own bar of links is removed, since the console has tabs. A link
 * inside the document is reported, so that the console's address names what is shown.
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

  const onLoad = () => {
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
      onLoad={onLoad}
    />
  );
}

/**
 * Shows a document in the console's color scheme. By itself it follows the system, so its rules for a dark system are
 * switched on or off.
 */
function showScheme(inner: Document, scheme: 'light' | 'dark'): void {
  const dark = scheme === 'dark';
  inner.documentElement.style.colorScheme = scheme;
  for (const sheet of inner.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!('media' in rule)) continue;
      const { media } = rule as CSSMediaRule;
      if (/prefers-color-scheme:\s*dark/.test(media.mediaText)) media.mediaText = dark ? 'all' : 'not all';
    }
  }
  // The API reference has its color scheme in a class.
  if (/\b(?:light|dark)-mode\b/.test(inner.body.className)) {
    inner.body.classList.toggle('dark-mode', dark);
    inner.body.classList.toggle('light-mode', !dark);
  }
}
