import * as service from '@renderkit/service/operator.ts';
import * as studio from '@renderkit/studio/operator.ts';
import { connectToService, type ServiceAndStudio } from './connect-to-service.ts';
import type { DemoAccount } from './screen.ts';

const demoEmail = 'demo@renderkit.local';
const demoKeyName = 'Demo';
/** The product's plan with this key has enough models and credits to look around. */
const demoTier = 'plus';

/**
 * Creates the demo account with credits and a key. If an earlier start was cut short, gives its account a new password
 * and a new key. `administrator`: the account may manage models and backends. `demo` in `config.ts` decides whether
 * there is a demo account, and only a first start creates one.
 */
export async function makeDemo(
  databases: ServiceAndStudio,
  { administrator }: { administrator: boolean },
): Promise<DemoAccount> {
  const password = studio.generatePassword();
  const accounts = await studio.listAccounts(databases.studio);
  if (accounts.some(({ email }) => email === demoEmail))
    await studio.setAccount(databases.studio, demoEmail, { password });
  else {
    const plans = await studio.listPlanKeys(databases.studio);
    await studio.createAccount(databases.studio, {
      email: demoEmail,
      password,
      name: 'Demo',
      ...(plans.includes(demoTier) && { tier: demoTier }),
    });
  }
  await studio.setAccount(databases.studio, demoEmail, { administrator });
  const { accountId } = await connectToService(databases, demoEmail);
  // Keys of a start that was killed before it could show them.
  for (const { id, name, status } of await service.listKeys(databases.service, accountId))
    if (name === demoKeyName && status === 'active') await service.revokeKey(databases.service, id);
  const { key } = await service.createKey(databases.service, { accountId, name: demoKeyName });
  return { email: demoEmail, password, key };
}
