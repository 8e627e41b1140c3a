import type { Locator, Page } from 'playwright-core';

/** Clicks and presses keys, and counts both. */
export type Hand = {
  click: (at: Locator) => Promise<void>;
  key: (name: string) => Promise<void>;
  count: () => number;
};

export function handOn(page: Page): Hand {
  let count = 0;
  return {
    click: (at) => {
      count++;
      return at.click();
    },
    key: (name) => {
      count++;
      return page.keyboard.press(name);
    },
    count: () => count,
  };
}
