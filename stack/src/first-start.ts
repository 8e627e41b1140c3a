import { randomBytes } from 'node:crypto';
import * as service from '@renderkit/service/operator.ts';
import * as studio from '@renderkit/studio/operator.ts';
import { connectToService, type ServiceAndStudio } from './connect-to-service.ts';
import type { DemoAccount } from './screen.ts';
import { rememberFirstStart, wasStartedBefore } from './store.ts';

const demoEmail = 'demo@renderkit.local';
const demoKeyName = 'Demo';
/** Its plan has models and credits enough to look around. */
const demoTier = 'plus';

/**
 * On the first start of a database makes the demo account with credits and a key, unless that is not wanted, and
 * hands them to `show`. Remembered in the database only after they were shown: a start that was killed before makes
 * the password and the key anew, so that what a person sees always works.
 */
export async function welcomeOnFirstStart(
  databases: ServiceAndStudio,
  options: { wanted: boolean; show: (demo: DemoAccount) => void },
): Promise<void> {
  if (await wasStartedBefore(databases.service.url)) return;
  if (options.wanted) options.show(await makeDemo(databases));
  await rememberFirstStart(databases.service.url, options.wanted ? 'demo' : 'plain');
}

async function makeDemo(databases: ServiceAndStudio): Promise<DemoAccount> {
  const password = randomBytes(12).toString('base64url');
  const accounts = await studio.listAccounts(databases.studio);
  if (accounts.some(({ email }) => email === demoEmail))
    await studio.setAccount(databases.studio, demoEmail, { password });
  else
    await studio.createAccount(databases.studio, {
      email: demoEmail,
      password,
      name: 'Demo',
      tier: demoTier,
    });
  const { accountId } = await connectToService(databases, demoEmail);
  // Of a start that was killed before it could show them.
  for (const { id, name, status } of await service.listKeys(databases.service, accountId))
    if (name === demoKeyName && status === 'active') await service.revokeKey(databases.service, id);
  const { key } = await service.createKey(databases.service, { accountId, name: demoKeyName });
  return { email: demoEmail, password, key };
}
