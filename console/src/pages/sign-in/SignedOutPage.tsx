import { Button, Text } from '@mantine/core';
import { signInAddress } from '../../session/sign-in-addresses.ts';
import { SignInLayout } from './SignInLayout.tsx';

export function SignedOutPage() {
  return (
    <SignInLayout title="You are signed out">
      <Text fz="sm" c="dimmed">
        This browser can do nothing in the console until somebody signs in again. API keys and webhooks go on
        as before.
      </Text>
      <Button component="a" href={signInAddress(undefined)} size="sm" fullWidth mt={4}>
        Sign in again
      </Button>
    </SignInLayout>
  );
}
