import type { ImportedModel } from '@renderkit/contract/studio/administration/models.ts';
import { useQuery } from '@tanstack/react-query';

/** Under it lies what an import or an edit said of a version: no address answers it again. */
export const importedQueryKey = (id: string, version: number) => ['imported', id, version] as const;

/** What the import or edit said that made this version; undefined once the page was loaded anew. */
export function useImported(id: string, version: number | undefined): ImportedModel | undefined {
  const { data } = useQuery<ImportedModel>({
    queryKey: importedQueryKey(id, version ?? 0),
    queryFn: () => Promise.reject(new Error('What an import said is not asked for again.')),
    enabled: false,
    staleTime: Infinity,
  });
  return data?.version === version ? data : undefined;
}
