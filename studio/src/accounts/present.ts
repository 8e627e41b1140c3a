import type { StudioAccount, StudioBalance } from '@renderkit/contract/studio/schemas/account.ts';
import type { AccountFacts } from '../authentication/queries.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import { type CatalogSnapshot, catalogVersion } from '../catalog/snapshot.ts';
import { accountState } from './account-state.ts';

export async function presentAccount(account: AccountFacts, catalog: Catalog): Promise<StudioAccount> {
  const plan = await catalog.plan(account.tier);
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
    catalog_version: catalogVersion(catalog.current(), account),
    administrator: account.administrator,
  };
}

/** `snapshot`: the catalog that the rest of the answer is based on. */
export function presentBalance(account: AccountFacts, snapshot: CatalogSnapshot): StudioBalance {
  return {
    monthly_millicredits: account.monthly_millicredits,
    lifetime_millicredits: account.lifetime_millicredits,
    allowance_millicredits: account.allowance_millicredits,
    next_refill: account.next_refill,
    ledger_seq: account.ledger_seq,
    catalog_version: catalogVersion(snapshot, account),
    plan: account.tier,
  };
}
