import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './Icon.tsx';

type CopyButtonProps = {
  value: string;
  /** Name of the action: "Copy the key". */
  label: string;
  /** Shows a button with text instead of only an icon. */
  withText?: boolean;
};

export function CopyButton({ value, label, withText = false }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1_500 });
  const icon = <Icon name={clipboard.copied ? 'check' : 'copy'} size={withText ? 15 : 14} />;
  const copy = () => clipboard.copy(value);
  if (withText)
    return (
      <Button variant="default" leftSection={icon} onClick={copy} aria-label={label} aria-live="polite">
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
    );
  const name = clipboard.copied ? 'Copied' : label;
  // Uses the browser's own tooltip, so that the first page needs no library for tooltips.
  return (
    <ActionIcon size={24} aria-label={name} title={name} onClick={copy}>
      {icon}
    </ActionIcon>
  );
}
