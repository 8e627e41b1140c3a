import { useEffect, useState } from 'react';
import { consoleAddresses, type SignInChoices } from '@renderkit/contract/console/addresses.ts';

/**
 * Whether the studio lets people make accounts; false until that is known. Not through the cache of queries, which is
 * emptied when a session ends: just while this page is shown.
 */
export function useSignUpOffered(): boolean {
  const [isOffered, setIsOffered] = useState(false);
  useEffect(() => {
    const left = new AbortController();
    void fetch(consoleAddresses.signInChoices, { signal: left.signal })
      .then(async (answer) => answer.ok && ((await answer.json()) as SignInChoices).sign_up)
      // Signing in will say what is wrong.
      .catch(() => false)
      .then((offered) => left.signal.aborted || setIsOffered(offered));
    return () => left.abort();
  }, []);
  return isOffered;
}
