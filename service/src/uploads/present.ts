import type { Upload, UploadStatus, UploadType } from '@renderkit/contract/v1/schemas/upload.ts';
import { isoTime } from '../iso-time.ts';

/** An upload with the fields that clients may see. The time is PostgreSQL's text in UTC. */
export type UploadRow = {
  id: string;
  status: UploadStatus;
  type: UploadType;
  url: string;
  file_name: string;
  content_type: string;
  size_bytes: number;
  width: number | null;
  height: number | null;
  error: string | null;
  created_at: string;
};

export function presentUpload(row: UploadRow): Upload {
  return {
    id: row.id,
    object: 'upload',
    status: row.status,
    type: row.type,
    url: row.url,
    file_name: row.file_name,
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    width: row.width,
    height: row.height,
    error: row.error,
    created_at: isoTime(row.created_at),
  };
}
