import { parseJson } from '../format/json.ts';
import type { SentRequest } from './idempotency-key.ts';

// Creates that may have been accepted although no response arrived. They are kept by account until they are sent again
// or the tab is closed. A person who reloads a page that seems to hang and runs the same request must not pay twice.

/**
 * The rest of a burst. `asked` identifies the burst, `left` is still to be sent with these keys, `made` was accepted.
 */
export type Rest = { asked: string; left: readonly SentRequest[]; made: readonly string[] };

type StoredRequest = Rest & { at: number };

const prefix = 'renderkit-unanswered-1:';
const maxStored = 8;
/** After this time, the same request means a new run: the accepted runs are already in the list. */
const maxAgeMs = 60 * 60_000;

/** By account, for this page. The browser's storage has a copy. */
const known = new Map<string, readonly StoredRequest[]>();

/** Returns the rest of a burst. `undefined` when there is none. */
export function restOf(account: string, asked: string): Rest | undefined {
  return read(account).find((one) => one.asked === asked);
}

/**
 * Stores the rest of a burst and replaces the earlier rest. `use-burst.ts` decides when a rest is stored and deleted.
 */
export function keepRest(account: string, rest: Rest): void {
  write(account, [{ ...rest, at: Date.now() }, ...others(account, rest.asked)].slice(0, maxStored));
}

/** Deletes the rest of a burst that was fully answered. */
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
    // A browser may forbid storage. A reload then forgets the rest.
    return [];
  }
}

function write(account: string, kept: readonly StoredRequest[]): void {
  known.set(account, kept);
  try {
    sessionStorage.removeItem(prefix + account);
    if (kept.length > 0) sessionStorage.setItem(prefix + account, JSON.stringify(kept));
  } catch {
    // The browser forbids storage, or painted masks are too large for it.
  }
}
