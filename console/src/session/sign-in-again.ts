import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { useEffect, useRef } from 'react';
import { ownPath } from '../format/own-path.ts';

// Somebody signs in again in another tab, so that what they have typed in this one stays: files and secrets, which are kept
// nowhere else, included. The pages of the studio cut the tie between the two tabs; a channel of the origin remains.

const channelName = 'renderkit-signed-in-again';

/** The address at which the studio asks for the password though it knows the browser, and then shows `SignedInAgainPage`. */
export function signInAgainAddress(email: string | null): string {
  const query = new URLSearchParams({ return_to: consoleAddresses.signedInAgain, prompt: 'login' });
  if (email !== null) query.set('login_hint', email);
  return `${ownPath(consoleAddresses.signIn)}?${query.toString()}`;
}

/** Tells the other tabs that somebody has signed in again. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
  channel.postMessage(null);
  channel.close();
}

/** Calls back when somebody has signed in again in another tab, as long as `waiting`. */
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
