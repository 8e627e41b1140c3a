import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { soaking } from '@renderkit/server-kit/testing/soak.ts';
import { stopMotion } from './page-views.ts';

export const widths = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

type Look = { width: keyof typeof widths; colorScheme: 'light' | 'dark' };

/** Consecutive looks differ in width. */
const looks: readonly Look[] = [
  { width: 'narrow', colorScheme: 'dark' },
  { width: 'wide', colorScheme: 'light' },
  { width: 'narrow', colorScheme: 'light' },
  { width: 'wide', colorScheme: 'dark' },
];

/**
 * Makes a function that finds the issues of a page in its present state: WCAG 2.2 AA wide and narrow, light and dark,
 * and content wider than the window. In `npm run test:slow` each page is checked in only one of the four looks, which
 * take turns from page to page.
 */
export function createIssueFinder(): (page: Page, name: string) => Promise<string[]> {
  let checked = 0;
  return async (page, name) => {
    const turn = checked++ % looks.length;
    const ordered = [...looks.slice(turn), ...looks.slice(0, turn)];
    const issues: string[] = [];
    for (const [i, { width, colorScheme }] of ordered.slice(0, soaking ? undefined : 2).entries()) {
      await page.setViewportSize(widths[width]);
      await page.emulateMedia({ colorScheme });
      await page.evaluate(stopMotion);
      await page.waitForTimeout(150);
      const contentWidth = Number(await page.evaluate('document.documentElement.scrollWidth'));
      if (contentWidth > widths[width].width) issues.push(`${name}, ${width}: ${contentWidth} pixels wide`);
      if (width === 'narrow')
        for (const cell of await page.evaluate<string[]>(unreachableCells))
          issues.push(`${name}, ${width}: ${cell}`);
      // The check is the slow part, so the other width is only measured.
      if (i > 0 && !soaking) continue;
      const height = Number(await page.evaluate(heightBesideActionBar));
      if (height > widths[width].height) await page.setViewportSize({ ...widths[width], height });
      for (const issue of await violations(page)) issues.push(`${name}, ${width}, ${colorScheme}: ${issue}`);
    }
    await page.setViewportSize(widths.wide);
    return issues;
  };
}

/**
 * A bar at the lower edge covers content until the person scrolls. For such a page returns its whole height, for the
 * window; 0 for others.
 */
const heightBesideActionBar = `
  [...document.querySelectorAll('main section')].some((one) => getComputedStyle(one).position === 'sticky')
    ? document.documentElement.scrollHeight : 0`;

/**
 * Names each table cell that is hidden, cut off, or beyond the edge of the window: every cell of a row must be
 * reachable.
 */
export const unreachableCells = `[...document.querySelectorAll('table')].flatMap((table) => {
  const name = table.getAttribute('aria-label');
  return [...table.querySelectorAll('[role=cell]')].flatMap((cell) => {
    const has = cell.textContent.trim() !== '' || cell.querySelector('img, svg, input, button') !== null;
    if (!has || !table.checkVisibility()) return [];
    const box = cell.getBoundingClientRect();
    const cut = [cell, ...cell.querySelectorAll('*')].some(
      (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline' &&
        getComputedStyle(one).overflowX !== 'visible' && !one.matches('input'),
    );
    const wrong = box.width === 0 || box.height === 0 ? 'is not shown'
      : box.left < 0 || box.right > innerWidth ? 'is beyond the edge' : cut ? 'is cut' : undefined;
    return wrong === undefined ? [] : [name + ', ' + cell.dataset.title + ' of ' + cell.parentElement.textContent.slice(0, 40) + ' ' + wrong];
  });
})`;

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

/** Runs a script through the browser's tools, to which the page's policy does not apply. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(`${axe.source}; 0`);
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { resultTypes: ['violations'], runOnly: ${JSON.stringify(standards)} })
        .then(({ violations }) => violations.map(({ id, nodes }) =>
          ({ id, nodes: nodes.map(({ target, failureSummary }) => ({ target, failureSummary })) })))`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map(({ target, failureSummary }) => `${id} at ${target.join(' ')} ${failureSummary ?? ''}`),
  );
}
