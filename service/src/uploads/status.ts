import type { UploadStatus as ShownStatus } from '@renderkit/contract/v1/schemas/upload.ts';

/** Beside what clients see: bytes still on their way to the studio, and an address still to be fetched. */
export type UploadStatus = ShownStatus | 'receiving' | 'coming';

/**
 * What may follow on each status (docs/api.md §3). From coming to rejected goes what cannot be fetched or used; what
 * was being received when its process died is removed.
 */
const transitions = {
  receiving: ['processing'],
  coming: ['processing', 'rejected'],
  processing: ['ready', 'rejected'],
  ready: [],
  rejected: [],
} as const satisfies Record<UploadStatus, readonly UploadStatus[]>;

/** True where an upload may go from one status to the other. */
export function mayTurn(from: UploadStatus, to: UploadStatus): boolean {
  return (transitions[from] as readonly UploadStatus[]).includes(to);
}
