import { Text } from '@mantine/core';
import { useEffect } from 'react';
import { announceSignIn } from '../../session/sign-in-again.ts';
import { SignInLayout } from './SignInLayout.tsx';

/** The last page of a sign-in that another tab asked for. */
export function SignedInAgainPage() {
  useEffect(() => {
    announceSignIn();
    // Browsers allow this only if a script opened this tab.
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
