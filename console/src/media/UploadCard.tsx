import { Button, Progress, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Upload, UploadType } from '@renderkit/contract/v1/schemas/upload.ts';
import { sentenceOf } from '../api/errors.ts';
import type { Reference } from '../model-form/form-values.ts';
import { Icon } from '../ui/Icon.tsx';
import classes from './reference-input.module.css';
import { sendUpload } from './send-upload.ts';

/** By this, a page knows that files are on their way. */
export const uploadMutationKey = ['upload'];

type SendingCardProps = {
  file: File;
  type: UploadType;
  /** With what it became, or with nothing where it was given up. */
  onDone: (reference?: Reference) => void;
};

/** A file on its way. It is sent as soon as this is shown, and no longer once it is not. */
export function SendingCard({ file, type, onDone }: SendingCardProps) {
  const [part, setPart] = useState(0);
  const queries = useQueryClient();
  const begun = useRef<AbortController>(undefined);
  const { mutate, error } = useMutation({
    mutationKey: uploadMutationKey,
    meta: { inline: true },
    mutationFn: (signal: AbortSignal) => sendUpload(file, { onProgress: setPart, signal }),
    onSuccess: (upload) => {
      queries.setQueryData(['v1', 'getUpload', { params: { id: upload.id } }], upload);
      onDone(referenceOfUpload(upload, type));
    },
  });
  useEffect(() => {
    const controller = new AbortController();
    begun.current = controller;
    // Strict mode shows everything twice: what is taken away at once is not sent.
    const timer = setTimeout(() => mutate(controller.signal), 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [mutate]);
  return (
    <div className={classes['card']}>
      <div className={classes['thumb']}>
        <Icon name="upload" size={20} />
      </div>
      <span className={classes['name']} title={file.name}>
        {file.name}
      </span>
      {error === null ? (
        <>
          <Progress value={part * 100} size="xs" my={4} aria-label={`Sending ${file.name}`} />
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onDone()}>
            Cancel
          </Button>
        </>
      ) : (
        <>
          <Text className={classes['bad']} fz="xs" role="alert">
            {sentenceOf(error)}
          </Text>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => begun.current !== undefined && mutate(begun.current.signal)}
          >
            Send again
          </Button>
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => onDone()}>
            Dismiss
          </Button>
        </>
      )}
    </div>
  );
}

function referenceOfUpload({ id, url, file_name }: Upload, type: UploadType): Reference {
  return { value: id, type, url, thumbUrl: null, name: file_name, nsfw: false };
}
