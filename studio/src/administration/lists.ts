import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import type { Plan } from '../catalog/plans.ts';
import { publishList, PublishError, withCatalog } from '../catalog/publish.ts';
import { readList } from '../catalog/read-list.ts';
import type { CatalogLists, PlatformStyle } from '../catalog/snapshot.ts';
import { ModelMissing, refusing } from './models.ts';
import { selectList, selectListVersion } from './store.ts';

/** A plan with the keys of `plans.yaml`. */
export type PlanEntry = Omit<Plan, 'monthly_millicredits'> & { monthly_credits: number };

/** Lists the published plans in order; the first is that of new accounts. */
export async function listPlans(database: Database): Promise<PlanEntry[]> {
  return planEntries((await selectList(database, 'plans'))?.content ?? []);
}

export function planEntries(plans: readonly Plan[]): PlanEntry[] {
  return plans.map(({ key, name, monthly_millicredits: millicredits, ...rest }) => ({
    key,
    name,
    monthly_credits: creditsOf(millicredits),
    limits: rest.limits,
    capabilities: rest.capabilities,
    weight: rest.weight,
    storage_bytes: rest.storage_bytes,
    stop_refund: rest.stop_refund,
  }));
}

/**
 * Returns an earlier published version of plans or styles, checked by today's rules.
 * @throws ModelMissing if there is no such version; PublishError if it can no longer be used
 */
export async function readListVersion<Name extends 'plans' | 'styles'>(
  database: Database,
  name: Name,
  version: number,
): Promise<CatalogLists[Name]> {
  const entries =
    name === 'plans'
      ? await selectListVersion(database, 'plans', version).then((found) => found && planEntries(found))
      : await selectListVersion(database, 'styles', version).then((found) => found && styleEntries(found));
  if (entries === undefined)
    throw new ModelMissing([
      { code: 'choice_unknown', message: `There is no version ${version} of the ${name}.` },
    ]);
  const { content, problems } = readList(name, JSON.stringify({ [name]: entries }));
  if (problems === undefined) return content;
  throw new PublishError(
    `Version ${version} of the ${name} cannot be used any more: ${problems[0]?.message ?? ''}`,
  );
}

/** Publishes an earlier version of plans or styles again, with the next number. @throws ModelRefused */
export function publishListVersion(
  database: Database,
  { name, version }: { name: 'plans' | 'styles'; version: number },
  actor: AdminActor,
): Promise<{ version: number; changed: boolean }> {
  return refusing(
    readListVersion(database, name, version).then((content) =>
      withCatalog(database, (transaction) => publishList(transaction, name, content, actor)),
    ),
  );
}

/** A style with the keys of `styles.yaml`. */
export type StyleEntry = Pick<PlatformStyle, 'id' | 'name' | 'type' | 'words'>;

export async function listStyles(database: Database): Promise<StyleEntry[]> {
  return styleEntries((await selectList(database, 'styles'))?.content ?? []);
}

export function styleEntries(styles: readonly PlatformStyle[]): StyleEntry[] {
  return styles.map(({ id, name, type, words }) => ({ id, name, type, words }));
}
