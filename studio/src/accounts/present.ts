import type { StudioAccount, StudioBalance } from '@renderkit/contract/studio/schemas/account.ts';
import { catalogVersion } from '../catalog/catalog.ts';
import { plans } from '../catalog/plans.ts';
import type { AccountFacts } from '../authentication/authenticate.ts';
import { accountState } from './account-state.ts';

export function presentAccount(account: AccountFacts): StudioAccount {
  const plan = plans[account.tier];
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    username: account.username,
    tier: { key: account.tier, name: plan.name },
    organization: account.organization,
    age_verified: account.age_verified,
    state: accountState(account),
    capabilities: plan.capabilities,
    catalog_version: catalogVersion(account),
  };
}

export function presentBalance(account: AccountFacts): StudioBalance {
  return {
    monthly_millicredits: account.monthly_millicredits,
    lifetime_millicredits: account.lifetime_millicredits,
    allowance_millicredits: account.allowance_millicredits,
    next_refill: account.next_refill,
    ledger_seq: account.ledger_seq,
    catalog_version: catalogVersion(account),
    plan: account.tier,
  };
}
