import { Button, Group, Select, TextInput } from '@mantine/core';
import type { ManagedParameter } from '@renderkit/contract/studio/administration/models.ts';
import { useState } from 'react';
import { sourceChoices } from './model-texts.ts';

type BindFormProps = {
  parameters: readonly ManagedParameter[];
  pending: boolean;
  onBind: (target: string, source: string) => void;
};

/** Sets an input of the workflow that the import did not find. */
export function BindForm({ parameters, pending, onBind }: BindFormProps) {
  const [target, setTarget] = useState('');
  const [source, setSource] = useState<string | null>(null);
  const used = parameters.flatMap(({ sources }) => sources);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (source !== null) onBind(target.trim(), source);
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Another input"
          placeholder="6.text"
          description="Node and input, as in ComfyUI."
          size="xs"
          w="12rem"
          value={target}
          onChange={(event) => setTarget(event.currentTarget.value)}
        />
        <Select
          label="Set from"
          size="xs"
          w="11.5rem"
          searchable
          data={sourceChoices(used)}
          value={source}
          onChange={setSource}
        />
        <Button
          type="submit"
          variant="default"
          loading={pending}
          disabled={source === null || !/^[^.\s]+\.\S+$/.test(target.trim())}
        >
          Set input
        </Button>
      </Group>
    </form>
  );
}
