import { Button, Text } from '@mantine/core';
import { signInFailureOf, signInFailures } from '@renderkit/contract/console/sign-in-failures.ts';
import { getRouteApi } from '@tanstack/react-router';
import { signInAddress } from '../../session/sign-in-addresses.ts';
import { SignInLayout } from './SignInLayout.tsx';

const route = getRouteApi('/sign-in-failed');

/** `failureOf` in `service/src/identity/sign-in/failure.ts` chooses the reason. */
export function SignInFailedPage() {
  const { reason, return_to: asked } = route.useSearch();
  const { title, detail } = signInFailures[signInFailureOf(reason) ?? 'service_failed'];
  return (
    <SignInLayout title={title}>
      <Text fz="sm" c="dimmed">
        {detail}
      </Text>
      <Button component="a" href={signInAddress(asked)} size="sm" fullWidth mt={4}>
        Try again
      </Button>
    </SignInLayout>
  );
}
