import { ActionIcon, Menu, Text, Textarea, Tooltip } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import classes from './prompt-field.module.css';
import type { FormControl } from './use-form.ts';

/** From this number on, the field shows how many characters are left. */
const shownFrom = 500;
/** How many earlier prompts the list shows. The arrow keys reach all of them. */
const maxListed = 12;

type PromptFieldProps = {
  form: FormControl;
  onRun: () => void;
  /** Earlier prompts, newest first. */
  earlier: readonly string[];
};

/** The prompt. Ctrl or ⌘ with Enter runs it. At the ends of the text, the arrow keys go to earlier prompts and back. */
export function PromptField({ form, onRun, earlier }: PromptFieldProps) {
  const { required, maxCharacters } = form.fields.prompt;
  const { prompt } = form.values;
  // Counted in code points, as the service does.
  const left = maxCharacters - [...prompt].length;
  const recall = useRecall(form, earlier);
  const field = useFocusAtFirst();
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return recall.onKeyDown(event);
    event.preventDefault();
    if (!event.repeat) onRun();
  };
  return (
    <div data-field="prompt" className={classes['field']}>
      <Textarea
        ref={field}
        label="Prompt"
        required={required}
        withAsterisk={false}
        description={required ? undefined : 'This model works without one, too.'}
        placeholder={placeholderOf(form)}
        autosize
        minRows={3}
        maxRows={8}
        value={prompt}
        onChange={({ currentTarget }) => {
          recall.leave();
          form.set('prompt', currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        error={left < 0 ? `It is ${-left} characters too long.` : form.errorOf('prompt')}
      />
      {earlier.length > 0 && <Earlier earlier={earlier} onChoose={recall.go} />}
      {left >= 0 && left <= shownFrom && (
        <Text fz="xs" c="dimmed" mt={4}>
          {left} characters left
        </Text>
      )}
    </div>
  );
}

/**
 * Focuses the prompt when the page was just loaded and nothing has the focus. Not on touch devices, where the focus
 * would open the screen keyboard.
 */
function useFocusAtFirst() {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body && matchMedia('(pointer: fine)').matches)
      field.current?.focus({ preventScroll: true });
  }, []);
  return field;
}

function Earlier({ earlier, onChoose }: { earlier: readonly string[]; onChoose: (at: number) => void }) {
  return (
    <Menu position="bottom-end" width={320} shadow="md">
      <Menu.Target>
        <Tooltip label="Earlier prompts (↑)">
          <ActionIcon className={classes['earlier']} size={22} aria-label="Earlier prompts">
            <Icon name="history" size={14} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown className={classes['list']}>
        {earlier.slice(0, maxListed).map((text, at) => (
          <Menu.Item key={text} onClick={() => onChoose(at)}>
            <span className={classes['one']}>{text}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/**
 * Goes through earlier prompts from the ends of the text, or to a chosen one. At the end, the text that the person was
 * writing comes back.
 */
function useRecall(form: FormControl, earlier: readonly string[]) {
  const [at, setAt] = useState(-1);
  const [written, setWritten] = useState('');
  const go = (next: number) => {
    if (at === -1) setWritten(form.values.prompt);
    setAt(next);
    form.set('prompt', next === -1 ? written : (earlier[next] ?? ''));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart: from, selectionEnd: to, value } = event.currentTarget;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || from !== to) return;
    const older = event.key === 'ArrowUp' && (from === 0 || at >= 0) && at + 1 < earlier.length;
    const newer = event.key === 'ArrowDown' && at >= 0 && to === value.length;
    if (!older && !newer) return;
    event.preventDefault();
    go(older ? at + 1 : at - 1);
  };
  return { onKeyDown, go, leave: () => setAt(-1) };
}

function placeholderOf({ fields }: FormControl): string {
  if (fields.video === 'required') return 'What happens next';
  if (fields.image === 'required') return 'What the picture is to become';
  return fields.styleType === 'video'
    ? 'Clouds drift over mountains'
    : 'A lighthouse above a calm sea at dusk';
}
