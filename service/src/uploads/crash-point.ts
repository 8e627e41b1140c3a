/** Called by name where the process may die at the worst moment; a test entry ends it there. */
export type UploadCrashPointName =
  | 'upload-receiving'
  | 'upload-stored'
  | 'upload-recorded'
  | 'import-fetched'
  | 'upload-settling'
  | 'upload-deleted';

export type UploadCrashPoint = (name: UploadCrashPointName) => void | Promise<void>;
