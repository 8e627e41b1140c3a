import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { CreatedApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Secret } from '../../ui/Secret.tsx';

/** The one moment in which a key can be read. */
export function NewKey({ created, onDone }: { created: CreatedApiKey; onDone: () => void }) {
  const { base_url: base } = useSignedIn();
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<Icon name="warning" />}>
        <Text fz="sm" component="div" c="var(--mantine-color-text)">
          Copy the key now. Only a hash of it is kept: nobody can show it again.
        </Text>
      </Alert>
      <Group gap="xs" wrap="nowrap">
        <Secret label="API key" value={created.key} />
        <CopyButton value={created.key} label="Copy the key" words />
      </Group>
      <CodeBlock
        label="Try it"
        wrap
        samples={[
          { name: 'curl', text: `curl ${base}/v1/account \\\n  -H "Authorization: Bearer ${created.key}"` },
        ]}
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have saved the key</Button>
      </Group>
    </Stack>
  );
}
