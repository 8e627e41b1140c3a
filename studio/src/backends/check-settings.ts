import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { BackendSecrets } from './backend-secrets.ts';
import { BackendError, type BackendSettings } from './backend.ts';
import type { BackendRow } from './store.ts';

/** Names of backends, and of labels. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const headerPattern = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const maxSlots = 1_000;

/** Returns a backend with its new settings, each of them checked. What is left out stays. @throws BackendError */
export function changedRow(row: BackendRow, settings: BackendSettings, secrets: BackendSecrets): BackendRow {
  const { url, slots, labels, secret, headers, maxCostPerDay, currency, allowLoss } = settings;
  const after: BackendRow = {
    ...row,
    ...(url !== undefined && { url: readUrl(row, url) }),
    ...(slots !== undefined && { slots: readSlots(slots) }),
    ...(labels !== undefined && { labels: readLabels(labels) }),
    ...(secret !== undefined && { secret: secrets.encrypt(row.name, 'secret', secret) }),
    ...(headers !== undefined && { headers: addHeaders(row, headers, secrets) }),
    ...(maxCostPerDay !== undefined && { max_cost_per_day: maxCostPerDay }),
    ...(currency !== undefined && { currency }),
    ...(allowLoss !== undefined && { allow_loss: allowLoss }),
  };
  if (after.max_cost_per_day !== null && after.currency === null)
    throw new BackendError(`The limit of a day needs its currency, such as USD.`, { field: 'currency' });
  return after;
}

/** Checks an address. Private networks and plain http are allowed: most machines of an operator's own are there. */
function readUrl({ name, is_local }: BackendRow, text: string): string {
  if (is_local) throw new BackendError(`${name} runs in the workers and has no address.`, { field: 'url' });
  const url = URL.parse(text);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new BackendError(
      `${JSON.stringify(text)} is no address of a backend: it must be http or https, without a user, ? or #.`,
      { field: 'url' },
    );
  return url.href.replace(/\/+$/, '');
}

function readSlots(slots: number): number {
  if (!Number.isInteger(slots) || slots < 1 || slots > maxSlots)
    throw new BackendError(`A backend has from 1 to ${maxSlots} slots; to give it no work, drain it.`, {
      field: 'slots',
    });
  return slots;
}

function readLabels(labels: readonly string[]): string[] {
  const wrong = labels.find((label) => !namePattern.test(label));
  if (wrong !== undefined)
    throw new BackendError(`${JSON.stringify(wrong)} is no label: letters, digits, ., _ and -, 63 at most.`, {
      field: 'labels',
    });
  return [...new Set(labels)];
}

/** Adds headers to the existing ones, which nobody can read back. An empty value removes a header. */
function addHeaders(
  row: BackendRow,
  added: Readonly<Record<string, string>>,
  secrets: BackendSecrets,
): string | null {
  const wrong = Object.entries(added).find(
    ([name, value]) => !headerPattern.test(name) || /[\r\n\0]/.test(value),
  );
  if (wrong !== undefined)
    throw new BackendError(`${JSON.stringify(wrong[0])} is no header that can be sent.`, {
      field: 'headers',
    });
  const headers = { ...headersOf(row, secrets), ...added };
  const left = Object.entries(headers).filter(([, value]) => value !== '');
  return left.length === 0
    ? null
    : secrets.encrypt(row.name, 'headers', JSON.stringify(Object.fromEntries(left)));
}

function headersOf(row: BackendRow, secrets: BackendSecrets): Record<string, string> {
  try {
    return secrets.read({ ...row, secret: null }).headers;
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    throw new BackendError(error.message, { cause: error });
  }
}
