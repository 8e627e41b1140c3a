import { Button, Progress, Text } from '@mantine/core';
import type { Upload, UploadType } from '@renderkit/contract/v1/schemas/upload.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { sentenceOf } from '../api/errors.ts';
import { uploadFile } from '../api/upload-file.ts';
import { Icon } from '../ui/Icon.tsx';
import { asPng } from './as-png.ts';
import classes from './reference-input.module.css';
import type { Reference } from './reference.ts';

/** Pages find running uploads by this key. */
export const uploadMutationKey = ['upload'];

type UploadCardProps = {
  file: File;
  type: UploadType;
  /** Called with the reference to the upload, or with nothing when the upload was canceled. */
  onDone: (reference?: Reference) => void;
};

/** A file that is being uploaded. The upload starts when the card is mounted, and aborts when the card is unmounted. */
export function UploadCard({ file, type, onDone }: UploadCardProps) {
  const [part, setPart] = useState(0);
  const queries = useQueryClient();
  const controllerRef = useRef<AbortController>(undefined);
  const { mutate, error } = useMutation({
    mutationKey: uploadMutationKey,
    meta: { inline: true },
    mutationFn: async (signal: AbortSignal) => uploadFile(await asPng(file), { onProgress: setPart, signal }),
    onSuccess: (upload) => {
      queries.setQueryData(['v1', 'getUpload', { params: { id: upload.id } }], upload);
      onDone(referenceOfUpload(upload, type));
    },
  });
  useEffect(() => {
    const controller = new AbortController();
    controllerRef.current = controller;
    // Strict mode mounts twice. Because of the delay, an upload that is aborted at once is not sent.
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
            onClick={() => controllerRef.current !== undefined && mutate(controllerRef.current.signal)}
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
