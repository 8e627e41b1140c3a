import { after, before, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../harness/browser.ts';
import { canvasTests } from './canvas.cases.ts';
import { dropTests } from './drops.cases.ts';
import { formTests } from './form.cases.ts';
import { keptWorkTests } from './kept-work.cases.ts';
import { leave } from './leave.ts';
import { subjectTests } from './subjects.cases.ts';
import { tabsTests } from './tabs.cases.ts';
import { takenUpTests } from './taken-up.cases.ts';
import { type ConsoleWorld, type Person, sharedConsoleWorld, signIn } from './world.ts';

describe('a person who makes pictures in the console, whatever comes between', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let who: Person;
  let page: Page;
  before(async () => {
    world = await sharedConsoleWorld();
    who = await world.person();
    ({ page } = await world.visitor({ viewport: { width: 1440, height: 900 } }));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.url });
    await signIn(world, page, who, '/console/playground?model=sketch-1');
  });
  after(() => leave(world, who, page));

  const at = () => ({ world, page });
  keptWorkTests(at);
  formTests(at);
  dropTests(at);
  takenUpTests(at);
  canvasTests(at);
  subjectTests(at);
  tabsTests(at);
});
