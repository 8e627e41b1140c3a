import { useQuery } from '@tanstack/react-query';
import { v1Query } from '../api/queries.ts';
import { bareReference } from '../model-form/read-request.ts';
import type { Reference } from '../model-form/form-values.ts';
import { itemOfAsset, referenceOfItem } from './media-item.ts';

/** Newest videos among which one is looked for: the API shows single images only. */
const videosLookedAt = 100;

/** What a reference points to, for showing it; undefined while it is not known or where nobody knows. */
export function useReference(reference: Reference | undefined): Reference | undefined {
  const bare = reference !== undefined && reference.url === null;
  const value = reference?.value ?? '';
  const upload = bare && value.startsWith('upl_');
  const library = bare && !upload && !/^https?:/i.test(value);
  const image = useQuery({
    ...v1Query('getImageAsset', { params: { id: value } }),
    enabled: library && reference.type === 'image',
    retry: false,
  });
  const videos = useQuery({
    ...v1Query('listAssets', { query: { type: 'video', limit: videosLookedAt } }),
    enabled: library && reference.type === 'video',
  });
  if (reference === undefined || !library) return reference;
  const asset = reference.type === 'image' ? image.data : videos.data?.data.find(({ id }) => id === value);
  return asset?.id === value ? referenceOfItem(itemOfAsset(asset)) : bareReference(value, reference.type);
}
