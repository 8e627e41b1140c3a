import { Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isSignUpOffered } from '../../api/sign-in-choices.ts';
import { signInAddress, signUpAddress } from '../../session/sign-in-addresses.ts';
import { SignInLayout } from './SignInLayout.tsx';

const route = getRouteApi('/sign-in');

/** Links to the studio's sign-in, which then returns to the wanted page. */
export function SignInPage() {
  const { return_to: asked } = route.useSearch();
  const signUpOffered = useSignUpOffered();
  return (
    <SignInLayout title="Sign in to the console">
      <Text fz="sm" c="dimmed">
        You sign in with your studio account. That also connects it: what is generated here and with your API
        keys spends its credits.
      </Text>
      <Button component="a" href={signInAddress(asked)} size="sm" fullWidth mt={4}>
        Continue with the studio
      </Button>
      {signUpOffered && (
        <Button component="a" href={signUpAddress(asked)} size="sm" variant="default" fullWidth>
          Create an account
        </Button>
      )}
    </SignInLayout>
  );
}

/**
 * Returns whether the studio lets people create accounts. `false` until that is known. Does not use the query cache,
 * which is cleared when a session ends.
 */
function useSignUpOffered(): boolean {
  const [offered, setOffered] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    // If this cannot be read, signing in shows what is wrong.
    void isSignUpOffered(controller.signal).then(
      (isOffered) => controller.signal.aborted || setOffered(isOffered),
    );
    return () => controller.abort();
  }, []);
  return offered;
}
