import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { useQuery } from '@tanstack/react-query';
import { live, v1Query } from '../api/queries.ts';
import { itemOfAsset, referenceOfItem } from './media-item.ts';
import { bareReference, type Reference } from './reference.ts';
import { useAsset } from './use-asset.ts';

/** Returns a reference with the known facts to show it. */
export function useReference(reference: Reference | undefined): Reference | undefined {
  const value = reference?.value ?? '';
  const isBare = reference?.url === null && isInLibrary(reference);
  const asset = useAsset(value, reference?.type === 'video' ? 'video' : 'image', isBare);
  if (!isBare) return reference;
  return asset?.id === value ? referenceOfItem(itemOfAsset(asset)) : bareReference(value, reference.type);
}

/** Returns the size of a referenced picture, in pixels. `undefined` until it is known. */
export function useSize(reference: Reference | undefined): { width: number; height: number } | undefined {
  const value = reference?.value ?? '';
  const asset = useAsset(value, 'image', reference !== undefined && isInLibrary(reference));
  const { upload } = useUpload(value);
  const { width, height } = upload ?? asset ?? { width: null, height: null };
  return width === null || height === null ? undefined : { width, height };
}

function isInLibrary({ value, type }: Reference): boolean {
  return type !== 'audio' && !value.startsWith('upl_') && !/^https?:/i.test(value);
}

/** Returns the upload of a reference. Reloads it while it is being processed. `gone`: the upload does not exist. */
export function useUpload(reference: string): { upload: Upload | undefined; gone: boolean } {
  const query = useQuery({
    ...v1Query('getUpload', { params: { id: reference } }),
    enabled: reference.startsWith('upl_'),
    retry: false,
    placeholderData: undefined,
    refetchInterval: (one) => (one.state.data?.status === 'processing' ? live(one) : false),
  });
  return { upload: query.data, gone: query.isError };
}
