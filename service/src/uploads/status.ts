import type { UploadStatus as ShownStatus } from '@renderkit/contract/v1/schemas/upload.ts';

/**
 * Beside what clients see: bytes still on their way to the studio, an address still to be fetched, and what is still to
 * be removed at the studio.
 */
export type UploadStatus = ShownStatus | 'receiving' | 'coming' | 'deleting';

/**
 * What may follow on each status (docs/api.md §3). From coming to rejected goes what cannot be fetched or used; what
 * was being received when its process died is removed. What is being deleted comes to nothing else.
 */
const transitions = {
  receiving: ['processing'],
  coming: ['processing', 'rejected'],
  processing: ['ready', 'rejected', 'deleting'],
  ready: ['deleting'],
  rejected: ['deleting'],
  deleting: [],
} as const satisfies Record<UploadStatus, readonly UploadStatus[]>;

/** The statuses from which an upload may go to this one. */
export function statusesBefore(to: UploadStatus): UploadStatus[] {
  return (Object.keys(transitions) as UploadStatus[]).filter((from) =>
    (transitions[from] as readonly UploadStatus[]).includes(to),
  );
}
