import type { StudioQuery } from '@renderkit/contract/studio/operations.ts';

/** The studio's limit for a name, in code points. */
const maxNameCharacters = 255;

/**
 * What the studio is told of a file beside its bytes. Names are the client's to choose: what the studio would refuse
 * in one is left out, and where nothing remains it makes up its own.
 */
export function storeQuery(file: {
  fileName: string | undefined;
  projectId?: string | undefined;
  hidden: boolean;
  leastBytes?: number | undefined;
}): StudioQuery<'storeUpload'> {
  const fileName = cleanName(file.fileName ?? '');
  return {
    ...(fileName !== '' && { file_name: fileName }),
    ...(file.projectId !== undefined && { project_id: file.projectId }),
    ...(file.hidden && { hidden: true }),
    ...(file.leastBytes !== undefined && file.leastBytes > 0 && { least_bytes: file.leastBytes }),
  };
}

/** Without control characters, halves of surrogate pairs and the like. */
function cleanName(name: string): string {
  return [...name.replaceAll(/\p{C}/gu, '')].slice(0, maxNameCharacters).join('');
}
