import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from './docs.module.css';

type DocumentFrameProps = {
  /** Path of the document on this server. */
  path: string;
  title: string;
  /** Called when a link in the document opened another document. */
  onMoved: (path: string) => void;
};

/**
 * Shows a document of the service in a frame. Removes the document's own navigation bar, because the console has tabs.
 * Reports links inside the document, so that the console's address names the shown document.
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
 * Shows a document in the console's color scheme. A document follows the system's scheme, so its rules for a dark
 * system are switched on or off.
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
  // The API reference stores its color scheme in a class.
  if (/\b(?:light|dark)-mode\b/.test(inner.body.className)) {
    inner.body.classList.toggle('dark-mode', dark);
    inner.body.classList.toggle('light-mode', !dark);
  }
}
