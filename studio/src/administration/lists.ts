import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from '../catalog/plans.ts';
import type { PlatformStyle } from '../catalog/snapshot.ts';
import { selectList } from './store.ts';

/** A plan with the keys of `plans.yaml`. */
export type PlanEntry = Omit<Plan, 'monthly_millicredits'> & { monthly_credits: number };

/** In order; the first is that of new accounts. */
export async function listPlans(database: Database): Promise<PlanEntry[]> {
  const plans = (await selectList(database, 'plans')) ?? [];
  return plans.map(({ key, name, monthly_millicredits: millicredits, ...rest }) => ({
    key,
    name,
    monthly_credits: millicredits / 1000,
    limits: rest.limits,
    capabilities: rest.capabilities,
    weight: rest.weight,
    storage_bytes: rest.storage_bytes,
    stop_refund: rest.stop_refund,
  }));
}

/** A style with the keys of `styles.yaml`. */
export type StyleEntry = Pick<PlatformStyle, 'id' | 'name' | 'type' | 'words'>;

export async function listStyles(database: Database): Promise<StyleEntry[]> {
  const styles = (await selectList(database, 'styles')) ?? [];
  return styles.map(({ id, name, type, words }) => ({ id, name, type, words }));
}
