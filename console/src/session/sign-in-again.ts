import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { useEffect, useRef } from 'react';
import { ownPath } from '../format/own-path.ts';

// A person signs in again in another tab, so that this tab keeps the typed values. These include files and secrets,
// which are stored nowhere else. The studio's pages cut the connection between the two tabs, so a broadcast channel of
// the origin is used.

const channelName = 'renderkit-signed-in-again';

/**
 * Returns the address at which the studio asks for the password even in a known browser, and then shows
 * `SignedInAgainPage`. `requireFreshSignIn` in `studio/src/administration/asker.ts` refuses actions that need a recent
 * sign-in.
 */
export function signInAgainAddress(email: string | null): string {
  const query = new URLSearchParams({ return_to: consoleAddresses.signedInAgain, prompt: 'login' });
  if (email !== null) query.set('login_hint', email);
  return `${ownPath(consoleAddresses.signIn)}?${query.toString()}`;
}

/** Informs the other tabs that a person has signed in again. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
  channel.postMessage(null);
  channel.close();
}

/** Calls `onSignedIn` when a person has signed in again in another tab, while `waiting` is true. */
export function useSignedInAgain(waiting: boolean, onSignedIn: () => Promise<void>): void {
  const latest = useRef(onSignedIn);
  useEffect(() => {
    latest.current = onSignedIn;
  });
  useEffect(() => {
    if (!waiting) return undefined;
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener('message', () => void latest.current());
    return () => channel.close();
  }, [waiting]);
}
