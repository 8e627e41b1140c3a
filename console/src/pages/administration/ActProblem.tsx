import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { hasCode } from '../../api/errors.ts';
import { signInAgainAddress, useSignedInAgain } from '../../session/sign-in-again.ts';
import { signedInQuery, useSignedIn } from '../../session/use-signed-in.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

type ActProblemProps = {
  /** `null`: nothing is shown. */
  error: Error | null;
  /** The action that failed: "The backend was not added". */
  title: string;
  /** Repeats the action after the person has signed in again. */
  onRetry: () => void;
};

/**
 * Shows why an administrator's action was refused. Prices and secrets need a sign-in of the last minutes. The person
 * signs in again in another tab, so no typed text is lost, and then the action is repeated without a further question.
 * `requireFreshSignIn` in `studio/src/administration/asker.ts` refuses the action; the minutes are in
 * `contract/studio/administration/fresh-sign-in.ts`.
 */
export function ActProblem({ error, title, onRetry }: ActProblemProps) {
  const { account } = useSignedIn();
  const queryClient = useQueryClient();
  const isStale = hasCode(error, 'sign_in_required');
  useSignedInAgain(isStale, async () => {
    // Fails when another person has signed in. This page and its typed text are not theirs, so the page is reloaded.
    const same = await queryClient.fetchQuery({ ...signedInQuery, staleTime: 0 }).catch(() => undefined);
    if (same !== undefined) onRetry();
  });
  // At the end of a long form, the message would not be visible.
  const boxRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    boxRef.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (error === null) return null;
  return (
    <div ref={boxRef}>
      {isStale ? <SignInAgain email={account.email} /> : <ProblemAlert error={error} title={title} />}
    </div>
  );
}

function SignInAgain({ email }: { email: string | null }) {
  return (
    <Notice tone="warning" title="Sign in again for this">
      <Text fz="sm">
        Prices and secrets can be changed for some minutes after a sign-in. Sign in again in a new tab: what
        you typed stays here, and this is done as soon as you have.
      </Text>
      <Group mt={8}>
        <Button
          component="a"
          href={signInAgainAddress(email)}
          target="_blank"
          rel="noopener"
          leftSection={<Icon name="external" size={14} />}
        >
          Sign in again
        </Button>
      </Group>
    </Notice>
  );
}
