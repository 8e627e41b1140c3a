import { Text, Textarea } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import type { FormControl } from './use-form.ts';

/** The characters left are shown from this number on. */
const shownFrom = 500;

/** The prompt. Ctrl or ⌘ with Enter runs it. */
export function PromptField({ form, onRun }: { form: FormControl; onRun: () => void }) {
  const { required, maxCharacters } = form.fields.prompt;
  // As the service counts: by code points.
  const left = maxCharacters - [...form.values.prompt].length;
  const run = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onRun();
  };
  return (
    <div data-field="prompt">
      <Textarea
        label="Prompt"
        required={required}
        withAsterisk={false}
        description={required ? undefined : 'This model works without one, too.'}
        placeholder={placeholderOf(form)}
        autosize
        minRows={3}
        maxRows={12}
        value={form.values.prompt}
        onChange={({ currentTarget }) => form.set('prompt', currentTarget.value)}
        onKeyDown={run}
        error={left < 0 ? `It is ${-left} characters too long.` : form.errorOf('prompt')}
      />
      {left >= 0 && left <= shownFrom && (
        <Text fz="xs" c="dimmed" mt={4}>
          {left} characters left
        </Text>
      )}
    </div>
  );
}

function placeholderOf({ fields }: FormControl): string {
  if (fields.video === 'required') return 'What happens next';
  if (fields.image === 'required') return 'What the picture is to become';
  return fields.styleType === 'video'
    ? 'Clouds drift over mountains'
    : 'A lighthouse above a calm sea at dusk';
}
