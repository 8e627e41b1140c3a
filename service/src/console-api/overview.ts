import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import { defaultOverviewDays, latestShown } from '@renderkit/contract/console/limits.ts';
import type { Overview } from '@renderkit/contract/console/schemas/overview.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AccountReader } from '../account/read-account.ts';
import { readDays, readSpend } from '../budgets/queries.ts';
import { listRows } from '../generations/reads/list-console-rows.ts';
import { createOutcomes, type Outcomes } from '../generations/reads/outcomes.ts';
import { listKeys } from '../identity/keys/list-keys.ts';
import { listWebhooks } from '../webhooks/endpoints/list-webhooks.ts';
import { askStudio } from './ask-studio.ts';
import type { ConsoleHandlers } from './console-handler.ts';
import { consoleKeyName, presentGenerationRow } from './generations.ts';
import { warningsOf } from './warnings.ts';

/** Returns all data of the first page in one answer, because the page asks for it every few seconds. */
export function overviewHandlers(deps: {
  database: Database;
  account: AccountReader;
}): Pick<ConsoleHandlers, 'getOverview'> {
  const { database, account } = deps;
  const readOutcomes = createOutcomes(database);
  return {
    getOverview: async ({ person, query }) => {
      const { accountId } = person;
      const { at, days } = await readDays(database, query.days ?? defaultOverviewDays);
      const today = days.at(-1) ?? '';
      const [balance, limits, storage, spend, outcomes, latest, webhooks, keys] = await Promise.all([
        askStudio(account.balance(accountId)),
        askStudio(account.limits(accountId)),
        askStudio(account.storage(accountId)),
        readSpend(database, accountId, days.length),
        readOutcomes(accountId, days, today),
        listRows(database, { accountId, status: 'succeeded', offset: 0, limit: latestShown }),
        listWebhooks(database, accountId),
        listKeys(database, accountId),
      ]);
      const spentToday = new Map(
        spend.filter(({ day }) => day === today).map((row) => [row.key_id, row.committed_millicredits]),
      );
      return {
        object: 'overview',
        balance: balance.answer,
        limits: limits.answer,
        days,
        spend: presentSpend(spend, days),
        outcomes: presentOutcomes(outcomes),
        latest: latest.map(presentGenerationRow),
        warnings: warningsOf({
          studio: balance.failure ?? limits.failure,
          storage: storage.answer,
          webhooks,
          keys,
          spentToday,
          at,
        }),
      };
    },
  };
}

function presentSpend(
  rows: Awaited<ReturnType<typeof readSpend>>,
  days: readonly string[],
): Overview['spend'] {
  const indexOfDay = new Map(days.map((day, i) => [day, i]));
  const byKey = new Map<string, Overview['spend'][number]>();
  for (const row of rows) {
    const index = indexOfDay.get(row.day);
    if (index === undefined) continue;
    const key = byKey.get(row.key_id) ?? {
      key_id: row.key_id,
      name: row.console ? consoleKeyName : row.name,
      credits: days.map(() => 0),
    };
    key.credits[index] = creditsOf(row.committed_millicredits);
    byKey.set(row.key_id, key);
  }
  return [...byKey.values()];
}

function presentOutcomes(outcomes: readonly Outcomes[]): Overview['outcomes'] {
  return {
    succeeded: outcomes.map(({ succeeded }) => succeeded),
    failed: outcomes.map(({ failed }) => failed),
    canceled: outcomes.map(({ canceled }) => canceled),
    open: outcomes.map(({ open }) => open),
  };
}
