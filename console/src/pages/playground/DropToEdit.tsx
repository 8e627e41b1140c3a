import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { uploadFile } from '../../api/upload-file.ts';
import { asPng } from '../../media/as-png.ts';
import { uploadMutationKey } from '../../media/UploadCard.tsx';
import { fileIssue } from '../../media/upload-types.ts';
import { FileDrop } from '../../ui/FileDrop.tsx';
import { showErrorToast, showToast } from '../../ui/toasts.ts';
import { kindOfUse } from './use-initial-form.ts';

const route = getRouteApi('/signed-in/playground');

/** The signal aborts when the person leaves the form. */
type Dropped = { file: File; signal: AbortSignal };

/**
 * Accepts a picture that is dropped where no field of the form accepts one: uploads it, and opens the form of an edit
 * of it. If the person leaves the form in the meantime, the upload is aborted and the form does not open.
 */
export function DropToEdit() {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const left = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    left.current = controller;
    return () => controller.abort();
  }, []);
  const upload = useMutation({
    mutationKey: uploadMutationKey,
    mutationFn: async ({ file, signal }: Dropped) => {
      const issue = fileIssue(file, 'image');
      if (issue !== undefined) throw new Error(issue);
      showToast(`${file.name} is being uploaded.`);
      const picture = await asPng(file);
      signal.throwIfAborted();
      return uploadFile(picture, { onProgress: () => undefined, signal });
    },
    onError: (error, { file, signal }) =>
      signal.aborted
        ? showToast(`${file.name} was not uploaded, since you left its form.`)
        : showErrorToast(error),
    meta: { inline: true },
    onSuccess: async (made, { signal }) => {
      queries.setQueryData(['v1', 'getUpload', { params: { id: made.id } }], made);
      if (signal.aborted) return;
      await navigate({
        search: (before) => ({
          ...before,
          kind: kindOfUse.image,
          model: undefined,
          use: made.id,
          as: 'image',
        }),
        replace: true,
        resetScroll: false,
      });
    },
  });
  return (
    <FileDrop
      label="Let go to edit it"
      onFile={(file) => left.current !== undefined && upload.mutate({ file, signal: left.current.signal })}
    />
  );
}
