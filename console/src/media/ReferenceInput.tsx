import { Button, FileButton, Group, Input, Text, TextInput } from '@mantine/core';
import type { UploadType } from '@renderkit/contract/v1/schemas/upload.ts';
import { type ClipboardEvent, type DragEvent, useEffect, useState } from 'react';
import { FileDrop } from '../ui/FileDrop.tsx';
import { Icon } from '../ui/Icon.tsx';
import { LibraryPicker } from './LibraryPicker.tsx';
import { ReferenceCard } from './ReferenceCard.tsx';
import { UploadCard } from './UploadCard.tsx';
import classes from './reference-input.module.css';
import { bareReference, type Reference } from './reference.ts';
import { fileIssue, uploadTypes } from './upload-types.ts';

type ReferenceInputProps = {
  label: string;
  description?: string;
  type: UploadType;
  max: number;
  required?: boolean;
  references: readonly Reference[];
  onChange: (change: (before: readonly Reference[]) => Reference[]) => void;
  error?: string | undefined;
  /** Accepts files that are pasted or dropped anywhere on the page. */
  takesPaste?: boolean;
  /** The plan allows no uploads of this type. */
  noUploads?: boolean;
  /** Only items of the library can be chosen. */
  libraryOnly?: boolean;
};

type PendingUpload = { id: number; file: File };
let lastUploadId = 0;

/**
 * The references of one field. They can be dropped, pasted, chosen as files or from the library, or entered as
 * addresses.
 */
export function ReferenceInput(props: ReferenceInputProps) {
  const { label, description, type, max, required = false, references, onChange, error } = props;
  const [over, setOver] = useState(false);
  const uploads = props.libraryOnly !== true && props.noUploads !== true;
  const add = (reference: Reference) =>
    onChange((before) => [...before.filter(({ value }) => value !== reference.value), reference].slice(-max));
  const { sending, issue, send, done, stop } = usePendingUploads(props, uploads, add);
  /**
   * Adds a reference from the library or by address. In a field for one reference, it replaces a file that is being
   * uploaded.
   */
  const choose = (reference: Reference) => {
    if (max === 1) stop();
    add(reference);
  };
  const free = max - references.length - sending.length;
  return (
    <Input.Wrapper
      label={label}
      description={description}
      required={required}
      error={error ?? issue}
      labelElement="div"
      role="group"
      aria-label={label}
    >
      {props.takesPaste === true && uploads && (
        <FileDrop label={`${label}: let go`} onFile={(file) => send([file])} />
      )}
      <div
        className={classes['area']}
        data-over={over}
        onDragOver={(event) => uploads && (event.preventDefault(), setOver(true))}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          send(droppedFiles(event));
        }}
        onPaste={(event) => send(pastedFiles(event))}
      >
        {references.map((reference) => (
          <ReferenceCard
            key={reference.value}
            reference={reference}
            onRemove={() => onChange((before) => before.filter(({ value }) => value !== reference.value))}
          />
        ))}
        {sending.map(({ id, file }) => (
          <UploadCard key={id} file={file} type={type} onDone={(reference) => done(id, reference)} />
        ))}
        {(free > 0 || max === 1) && (
          <AddControls
            {...{ label, type, uploads, max, send }}
            add={choose}
            libraryOnly={props.libraryOnly === true}
            empty={free === max}
          />
        )}
      </div>
      {props.noUploads === true && (
        <Text fz="xs" c="dimmed" mt={4}>
          Your plan has no uploads of this type.
        </Text>
      )}
    </Input.Wrapper>
  );
}

/** Manages the files that are being uploaded for a field, and the reason why a file was refused. */
function usePendingUploads(
  { type, max, references, takesPaste = false }: ReferenceInputProps,
  uploads: boolean,
  add: (reference: Reference) => void,
) {
  const [sending, setSending] = useState<PendingUpload[]>([]);
  const [issue, setIssue] = useState<string>();
  const free = max - references.length - sending.length;
  const send = (files: readonly File[]) => {
    if (!uploads || files.length === 0) return;
    const issues = files.map((file) => fileIssue(file, type));
    const good = files.filter((_, i) => issues[i] === undefined);
    // A field for one reference accepts the first file and replaces its present reference.
    const fitting = good.slice(0, max === 1 ? 1 : Math.max(0, free));
    setIssue(
      issues.find((one) => one !== undefined) ??
        (fitting.length < good.length ? `No more than ${max} can be used here.` : undefined),
    );
    const added = fitting.map((file) => ({ id: ++lastUploadId, file }));
    if (added.length > 0) setSending((before) => (max === 1 ? added : [...before, ...added]));
  };
  usePastedFiles(takesPaste && uploads, send);
  const done = (id: number, reference?: Reference) => {
    setSending((before) => before.filter((one) => one.id !== id));
    if (reference !== undefined) add(reference);
  };
  return { sending, issue, send, done, stop: () => setSending([]) };
}

type AddControlsProps = {
  label: string;
  type: UploadType;
  uploads: boolean;
  libraryOnly: boolean;
  max: number;
  empty: boolean;
  add: (reference: Reference) => void;
  send: (files: File[]) => void;
};

function AddControls({ label, type, uploads, libraryOnly, max, empty, add, send }: AddControlsProps) {
  const [choosing, setChoosing] = useState(false);
  const [address, setAddress] = useState<string>();
  const { accept, formats, noun } = uploadTypes[type];
  const verb = empty || max > 1 ? 'Add' : 'Replace';
  return (
    <div className={classes['add']}>
      {uploads && (
        <Text fz="xs" c="dimmed">
          Drop {max > 1 ? `${noun}s` : `a ${noun}`} here, paste, or choose: {formats}.
        </Text>
      )}
      <Group gap={6}>
        {uploads && (
          <FileButton accept={accept} multiple onChange={(files) => send(Array.isArray(files) ? files : [])}>
            {(button) => (
              <Button
                {...button}
                variant="default"
                px={8}
                leftSection={<Icon name="upload" size={13} />}
                aria-label={`${verb} a file: ${label}`}
              >
                File
              </Button>
            )}
          </FileButton>
        )}
        {type !== 'audio' && (
          <Button
            variant="default"
            px={8}
            leftSection={<Icon name="library" size={13} />}
            onClick={() => setChoosing(true)}
            aria-label={`${verb} from the library: ${label}`}
          >
            Library
          </Button>
        )}
        {!libraryOnly && (
          <Button
            variant="subtle"
            color="gray"
            px={8}
            aria-expanded={address !== undefined}
            aria-label={`${verb} from an address: ${label}`}
            onClick={() => setAddress(address === undefined ? '' : undefined)}
          >
            Address
          </Button>
        )}
      </Group>
      {address !== undefined && (
        <AddressField
          address={address}
          label={label}
          onChange={setAddress}
          onAdd={(value) => {
            add(bareReference(value, type));
            setAddress(undefined);
          }}
        />
      )}
      {type !== 'audio' && (
        <LibraryPicker type={type} opened={choosing} onClose={() => setChoosing(false)} onChoose={add} />
      )}
    </div>
  );
}

type AddressFieldProps = {
  address: string;
  label: string;
  onChange: (address: string) => void;
  onAdd: (address: string) => void;
};

function AddressField({ address, label, onChange, onAdd }: AddressFieldProps) {
  // Without a scheme, the service would read the text as an item's id. The service validates everything else.
  const good = /^https?:\/\/\S+$/i.test(address.trim());
  const submit = () => good && onAdd(address.trim());
  return (
    <TextInput
      size="xs"
      aria-label={`Address: ${label}`}
      placeholder="https://example.com/picture.png"
      description="It is fetched once the run has been accepted."
      inputWrapperOrder={['input', 'description', 'error']}
      value={address}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        submit();
      }}
      error={address === '' || good ? undefined : 'An address that begins with https:// is needed.'}
      rightSection={
        <Button size="compact-xs" disabled={!good} onClick={submit}>
          Add
        </Button>
      }
      rightSectionWidth={52}
    />
  );
}

function usePastedFiles(active: boolean, send: (files: File[]) => void): void {
  useEffect(() => {
    if (!active) return undefined;
    const paste = (event: globalThis.ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (event.defaultPrevented || files.length === 0 || isText(event)) return;
      event.preventDefault();
      send(files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  });
}

/**
 * Returns whether text is pasted into a text field. Text that was copied from a document or table is on the clipboard
 * as a picture, too.
 */
function isText({ target, clipboardData }: globalThis.ClipboardEvent): boolean {
  return (
    clipboardData?.types.includes('text/plain') === true &&
    target instanceof HTMLElement &&
    target.closest('textarea, input') !== null
  );
}

function droppedFiles(event: DragEvent): File[] {
  event.preventDefault();
  return [...event.dataTransfer.files];
}

function pastedFiles(event: ClipboardEvent): File[] {
  const files = isText(event.nativeEvent) ? [] : [...event.clipboardData.files];
  if (files.length > 0) {
    event.preventDefault();
    // Otherwise the page's own handler would also accept the files.
    event.stopPropagation();
  }
  return files;
}
