import { useQuery } from '@tanstack/react-query';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { live, v1Query } from '../api/queries.ts';

/** An upload, watched for as long as it is looked at; undefined where the reference is none. */
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
