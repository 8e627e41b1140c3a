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
import { beginToCreate, type ConsoleWorld, type Person, sharedConsoleWorld } from './world.ts';

describe('a person who makes pictures in the console, whatever comes between', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let who: Person;
  let page: Page;
  before(async () => {
    world = await sharedConsoleWorld();
    ({ who, page } = await beginToCreate(world));
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
