import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from '../catalog/plans.ts';
import type { PlatformStyle } from '../catalog/snapshot.ts';
import { selectList } from './store.ts';

/** A plan with the keys of `plans.yaml`. */
export type PlanEntry = Omit<Plan, 'monthly_millicredits'> & { monthly_credits: number };

/** In order; the first is that of new accounts. */
export async function listPlans(database: Database): Promise<PlanEntry[]> {
  return planEntries((await selectList(database, 'plans'))?.content ?? []);
}

export function planEntries(plans: readonly Plan[]): PlanEntry[] {
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
  return styleEntries((await selectList(database, 'styles'))?.content ?? []);
}

export function styleEntries(styles: readonly PlatformStyle[]): StyleEntry[] {
  return styles.map(({ id, name, type, words }) => ({ id, name, type, words }));
}
