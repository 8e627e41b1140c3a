import { Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { signInAddress, signUpAddress } from '../../session/sign-in-addresses.ts';
import { Entrance } from './SignInLayout.tsx';
import { useSignUpOffered } from './use-sign-up-offered.ts';

const route = getRouteApi('/sign-in');

/** Leads to the studio and from there back to the page that was asked for. */
export function SignInPage() {
  const { return_to: asked } = route.useSearch();
  const isSignUpOffered = useSignUpOffered();
  return (
    <Entrance title="Sign in to the console">
      <Text fz="sm" c="dimmed">
        You sign in with your studio account. That also connects it: what is generated here and with your API
        keys spends its credits.
      </Text>
      <Button component="a" href={signInAddress(asked)} size="sm" fullWidth mt={4}>
        Continue with the studio
      </Button>
      {isSignUpOffered && (
        <Button component="a" href={signUpAddress(asked)} size="sm" variant="default" fullWidth>
          Create an account
        </Button>
      )}
    </Entrance>
  );
}
