import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { Warning } from '@renderkit/contract/console/schemas/overview.ts';
import type { Storage } from '@renderkit/contract/v1/schemas/storage.ts';
import type { ListedKey } from '../identity/keys/list-keys.ts';
import { storageUseText } from '../studio-client/translate-error.ts';
import type { ListedWebhook } from '../webhooks/endpoints/present.ts';
import type { StudioProblem } from './ask-studio.ts';

/** A warning about an endpoint appears after it has failed this long without a success. */
const failingMs = 24 * 60 * 60 * 1000;
/** Percent of a day's budget or of the storage. */
const nearlyUsed = 90;

/** Returns what a person should look at, the most serious first. `spentToday`: 1/1000 credit by key. */
export function warningsOf(seen: {
  studio: StudioProblem | undefined;
  /** Null when the studio does not report it. */
  storage: Storage | null;
  webhooks: readonly ListedWebhook[];
  keys: readonly ListedKey[];
  spentToday: ReadonlyMap<string, number>;
  at: Date;
}): Warning[] {
  return [
    ...(seen.studio === undefined ? [] : [studioWarnings[seen.studio]]),
    ...storageWarning(seen.storage),
    ...seen.webhooks.filter((one) => isFailing(one, seen.at)).map(failingWarning),
    ...seen.keys.flatMap((key) => budgetWarning(key, seen.spentToday.get(key.id) ?? 0)),
  ];
}

const studioWarnings = {
  expired: {
    code: 'connection_expired',
    detail: 'The connection to the studio has ended. Sign in again, and what waits goes on.',
    subject_id: null,
  },
  unreachable: {
    code: 'studio_unreachable',
    detail: 'The studio does not answer now. What waits is sent as soon as it does.',
    subject_id: null,
  },
} as const satisfies Record<StudioProblem, Warning>;

function storageWarning(storage: Storage | null): Warning[] {
  if (storage === null) return [];
  const { used_bytes: used, limit_bytes: limit } = storage;
  if (used * 100 <= limit * nearlyUsed && used < limit) return [];
  const detail =
    used >= limit
      ? `${storageUseText(storage)} Nothing can be uploaded or generated until you delete something.`
      : `${storageUseText(storage)} Once it is full, nothing can be uploaded or generated.`;
  return [{ code: 'storage_nearly_used', detail, subject_id: null }];
}

function isFailing({ status, failingSince }: ListedWebhook, at: Date): boolean {
  return status === 'active' && failingSince !== null && at.getTime() - Date.parse(failingSince) >= failingMs;
}

function failingWarning({ id, url }: ListedWebhook): Warning {
  return {
    code: 'endpoint_failing',
    detail: `Every delivery to ${url} has failed for 24 hours or more.`,
    subject_id: id,
  };
}

function budgetWarning(key: ListedKey, spent: number): Warning[] {
  const budget = key.dailyBudgetMillicredits;
  // A budget of 0 is meant to be exhausted.
  if (key.status !== 'active' || budget === null || budget === 0) return [];
  if (spent * 100 < budget * nearlyUsed) return [];
  return [
    {
      code: 'budget_nearly_used',
      detail: `The key "${key.name}" has committed ${creditsOf(spent)} of the ${creditsOf(budget)} credits that it may today.`,
      subject_id: key.id,
    },
  ];
}
