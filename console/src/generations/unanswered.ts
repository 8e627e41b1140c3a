import { parseJson } from '../format/json.ts';
import type { SentRequest } from './idempotency-key.ts';

// Creates that may have been accepted although no answer came. They are kept until they are sent again, by account and as
// long as the tab is there: somebody who reloads a page that seems to hang, and runs the same, must not pay twice.

/** What is left of a burst: `asked` tells it from others, `left` is sent under these keys, `made` was accepted. */
export type Rest = { asked: string; left: readonly SentRequest[]; made: readonly string[] };

type StoredRequest = Rest & { at: number };

const prefix = 'renderkit-unanswered-1:';
const maxStored = 8;
/** Afterwards whoever runs the same wants another: what was accepted has long been in the list of runs. */
const maxAgeMs = 60 * 60_000;

/** By account, for this page; what the browser keeps is a copy. */
const known = new Map<string, readonly StoredRequest[]>();

/** What is left of the burst; undefined where nothing is. */
export function restOf(account: string, asked: string): Rest | undefined {
  return read(account).find((one) => one.asked === asked);
}

/** Keeps what is left of a burst, in the place of what was left before. */
export function keepRest(account: string, rest: Rest): void {
  write(account, [{ ...rest, at: Date.now() }, ...others(account, rest.asked)].slice(0, maxStored));
}

/** The burst was answered to its end. */
export function forgetRest(account: string, asked: string): void {
  write(account, others(account, asked));
}

function others(account: string, asked: string): readonly StoredRequest[] {
  return read(account).filter((one) => one.asked !== asked);
}

function read(account: string): readonly StoredRequest[] {
  const kept = known.get(account) ?? readStored(account);
  return kept.filter(({ at }) => Date.now() - at < maxAgeMs);
}

function readStored(account: string): readonly StoredRequest[] {
  try {
    const value = parseJson(sessionStorage.getItem(prefix + account) ?? '');
    return Array.isArray(value) ? (value as StoredRequest[]) : [];
  } catch {
    // A browser may forbid it. Then a reload forgets.
    return [];
  }
}

function write(account: string, kept: readonly StoredRequest[]): void {
  known.set(account, kept);
  try {
    sessionStorage.removeItem(prefix + account);
    if (kept.length > 0) sessionStorage.setItem(prefix + account, JSON.stringify(kept));
  } catch {
    // Forbidden, or painted masks are too much for it.
  }
}
