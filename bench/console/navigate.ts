import type { Page } from 'playwright-core';

/** Returns the texts of the navigation's links. */
export function linksOf(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents();
}

/**
 * Returns the milliseconds from a click on a link of the navigation to the frame that has the page's heading and
 * content, with nothing loading any more. The click comes without a pointer, which would have shown the page before
 * where it goes.
 */
export function clickLink(page: Page, name: string): Promise<number> {
  return page.evaluate<number>(`(${timeOfClick})(${JSON.stringify(name)})`);
}

/** Runs in the page. A task that follows a frame's callbacks runs after the frame is drawn. */
const timeOfClick = `(name) => {
  const links = [...document.querySelectorAll('nav[aria-label="Console"] a')];
  const link = links.find(({ textContent }) => textContent.trim() === name);
  const headingBefore = document.querySelector('h1')?.textContent;
  const isShown = () => {
    const heading = document.querySelector('h1')?.textContent ?? '';
    const loads = document.querySelector('[aria-busy="true"], .mantine-Skeleton-root[data-visible]');
    return location.pathname === link.pathname && heading !== '' && heading !== headingBefore && loads === null;
  };
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(name + ' did not appear within 20 s')), 20_000);
    const began = performance.now();
    const look = () => {
      if (!isShown()) return;
      observer.disconnect();
      clearTimeout(late);
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - began);
        port2.postMessage(undefined);
      });
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    link.click();
  });
}`;
