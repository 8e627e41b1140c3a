import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { useQuery } from '@tanstack/react-query';
import { live, v1Query } from '../api/queries.ts';
import { itemOfAsset, referenceOfItem } from './media-item.ts';
import { bareReference, type Reference } from './reference.ts';
import { useAsset } from './use-asset.ts';

/** A reference with what is needed to show it, as far as that is known. */
export function useReference(reference: Reference | undefined): Reference | undefined {
  const value = reference?.value ?? '';
  const inLibrary =
    reference !== undefined &&
    reference.type !== 'audio' &&
    reference.url === null &&
    !value.startsWith('upl_') &&
    !/^https?:/i.test(value);
  const asset = useAsset(value, reference?.type === 'video' ? 'video' : 'image', inLibrary);
  if (!inLibrary) return reference;
  return asset?.id === value ? referenceOfItem(itemOfAsset(asset)) : bareReference(value, reference.type);
}

/** The upload that a reference names, asked for again while it is being processed. `gone`: it does not exist. */
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
