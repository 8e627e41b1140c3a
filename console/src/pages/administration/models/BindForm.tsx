import { Button, Group, Select, TextInput } from '@mantine/core';
import type { ManagedParameter } from '@renderkit/contract/studio/administration/models.ts';
import { useState } from 'react';
import { sourceChoices } from './model-texts.ts';

type BindFormProps = {
  parameters: readonly ManagedParameter[];
  disabled: boolean;
  onBind: (target: string, source: string) => void;
};

/** Adds an input of the workflow that the import did not find. It is saved with the other changes. */
export function BindForm({ parameters, disabled, onBind }: BindFormProps) {
  const [target, setTarget] = useState('');
  const [source, setSource] = useState<string | null>(null);
  const used = parameters.flatMap(({ sources }) => sources);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (source === null) return;
        onBind(target.trim(), source);
        setTarget('');
        setSource(null);
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
          disabled={disabled || source === null || !/^[^.\s]+\.\S+$/.test(target.trim())}
        >
          Set input
        </Button>
      </Group>
    </form>
  );
}
