import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { callConsole } from '../../api/client.ts';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Secret } from '../../ui/Secret.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';

/**
 * Reveals the signing secret, or replaces it. `rotateSecret` in `service/src/webhooks/endpoints/signing-secrets.ts`
 * decides how long the old secret also signs.
 */
export function SigningSecret({ webhookId }: { webhookId: string }) {
  const [asking, ask] = useDisclosure(false);
  const request = { params: { id: webhookId } };
  const reveal = useMutation({ mutationFn: () => callConsole('revealWebhookSecret', request) });
  const rotate = useMutation({
    mutationFn: () => callConsole('rotateWebhookSecret', request),
    meta: { inline: true },
    onSuccess: ask.close,
  });
  const shown = rotate.data ?? reveal.data;
  return (
    <Section title="Signing secret">
      <Stack gap="sm">
        {shown === undefined ? (
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<Icon name="eye" size={14} />}
              loading={reveal.isPending}
              onClick={() => reveal.mutate()}
            >
              Reveal secret
            </Button>
            <Button variant="default" leftSection={<Icon name="refresh" size={14} />} onClick={ask.open}>
              Rotate secret
            </Button>
          </Group>
        ) : (
          <Group gap="xs">
            <Secret label="Signing secret" value={shown.secret} />
            <CopyButton value={shown.secret} label="Copy the signing secret" withText />
            <Button variant="default" leftSection={<Icon name="refresh" size={14} />} onClick={ask.open}>
              Rotate secret
            </Button>
          </Group>
        )}
        <Text fz="xs" c="dimmed" component="div">
          {shown?.previous_until == null ? (
            'Receivers check with it that a delivery comes from here. Revealing and rotating are written to the audit log.'
          ) : (
            <>
              The secret before it signs too until <Time at={shown.previous_until} />: give the new one to
              your receiver by then.
            </>
          )}
        </Text>
      </Stack>
      <ConfirmModal
        opened={asking}
        onClose={ask.close}
        title="Rotate the signing secret?"
        action="Rotate secret"
        harmless
        onConfirm={() => rotate.mutate()}
        pending={rotate.isPending}
        error={rotate.error}
      >
        <Text fz="sm">
          The endpoint gets a new secret at once. For a day every delivery is signed with both, so that your
          receiver can change over without a gap.
        </Text>
      </ConfirmModal>
    </Section>
  );
}
