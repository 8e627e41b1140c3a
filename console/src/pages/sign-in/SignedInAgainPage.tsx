import { Text } from '@mantine/core';
import { useEffect } from 'react';
import { announceSignIn } from '../../session/sign-in-again.ts';
import { SignInLayout } from './SignInLayout.tsx';

/** The end of a sign-in that another tab asked for. */
export function SignedInAgainPage() {
  useEffect(() => {
    announceSignIn();
    // Browsers allow it as long as they know that a script has opened this tab.
    globalThis.close();
  }, []);
  return (
    <SignInLayout title="You are signed in again">
      <Text fz="sm" c="dimmed">
        Close this tab and go on in the one that you came from: what you typed there is still there.
      </Text>
    </SignInLayout>
  );
}
