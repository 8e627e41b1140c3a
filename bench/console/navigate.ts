import type { Page } from 'playwright-core';

/** The links of the navigation, by their texts. */
export function linksOf(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents();
}

/**
 * Milliseconds from a click on a link of the navigation to the frame that has the page's heading and its content: nothing of it is
 * loading any more. The click comes without a pointer that would have told the page before where it goes.
 */
export function clickLink(page: Page, name: string): Promise<number> {
  return page.evaluate(timeOfClick, name);
}

/** In the page. */
function timeOfClick(name: string): Promise<number> {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav[aria-label="Console"] a')];
  const link = links.find(({ textContent }) => textContent?.trim() === name);
  if (link === undefined) throw new Error(`there is no link ${name}`);
  const { pathname } = link;
  const headingBefore = document.querySelector('h1')?.textContent;
  const isShown = () => {
    const heading = document.querySelector('h1')?.textContent ?? '';
    const loads = document.querySelector('[aria-busy="true"], .mantine-Skeleton-root[data-visible]');
    return location.pathname === pathname && heading !== '' && heading !== headingBefore && loads === null;
  };
  return new Promise<number>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} did not appear within 20 s`)), 20_000);
    const began = performance.now();
    const observer = new MutationObserver(look);
    function look() {
      if (!isShown()) return;
      observer.disconnect();
      clearTimeout(late);
      // The task after a frame's callbacks finds it drawn.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener('message', () => resolve(performance.now() - began));
        port1.start();
        port2.postMessage(undefined);
      });
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    link.click();
    look();
  });
}
