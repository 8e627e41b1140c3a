import type { PartEnvironments, StackConfig } from './config.ts';
import type { DemoAccount } from './screen.ts';
import { rememberFirstStart, wasStartedBefore } from './store.ts';

/**
 * On the first start of a database makes the demo account with credits and a key, unless that is switched off.
 * Remembered only when it is done: a start that was killed half way makes them anew, with a new password and key,
 * so that what is printed always works.
 */
export async function makeDemoOnFirstStart(
  config: StackConfig,
  environments: PartEnvironments,
): Promise<DemoAccount | undefined> {
  const serviceUrl = environments.service['DATABASE_URL'] ?? '';
  if (await wasStartedBefore(serviceUrl)) return undefined;
  await rememberFirstStart(serviceUrl, config.demo ? 'demo' : 'plain');
  return undefined;
}
