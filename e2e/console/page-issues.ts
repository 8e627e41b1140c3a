import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { stopMotion } from './page-views.ts';

export const widths = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * Finds what is wrong with a page as it stands (WCAG 2.2 AA, and that nothing is wider than the window), wide and narrow,
 * light and dark; which scheme goes with which width alternates from one page to the next.
 */
export function createIssueFinder(): (page: Page, name: string) => Promise<string[]> {
  let checked = 0;
  return async (page, name) => {
    const issues: string[] = [];
    const schemes = checked++ % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
    for (const [i, width] of (['wide', 'narrow'] as const).entries()) {
      const viewport = widths[width];
      const colorScheme = schemes[i] ?? 'light';
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.evaluate(stopMotion);
      await page.waitForTimeout(150);
      const contentWidth = Number(await page.evaluate('document.documentElement.scrollWidth'));
      if (contentWidth > viewport.width) issues.push(`${name}, ${width}: ${contentWidth} pixels wide`);
      for (const issue of await violations(page)) issues.push(`${name}, ${width}, ${colorScheme}: ${issue}`);
    }
    await page.setViewportSize(widths.wide);
    return issues;
  };
}

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

/** By a script of the browser's tools, to which the page's policy does not apply. */
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
