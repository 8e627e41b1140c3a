import type { GenerationStatus, Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { StoredDetail } from '../../generations/reads/rows.ts';
import { isoTime } from '../../iso-time.ts';
import { remixedKey } from './video-request.ts';

/** The four statuses that clients know. With any other status they stop polling. */
const statuses: Record<GenerationStatus, string> = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  canceled: 'failed',
};

/**
 * Returns a video of OpenAI's API. `size` is `auto` until the file exists. `fraction` is the progress, 0 to 1, where it
 * is known.
 */
export function presentVideo({ row, request }: StoredDetail, fraction: number | null): object {
  const [output] = JSON.parse(row.outputs) as Output[];
  const asked = JSON.parse(request?.renderRequest ?? '{}') as {
    prompt?: string;
    duration_seconds?: number;
  };
  const metadata = JSON.parse(row.metadata) as Record<string, string>;
  const seconds = asked.duration_seconds ?? output?.duration;
  return {
    id: row.id,
    object: 'video',
    status: statuses[row.status],
    progress: row.status === 'succeeded' ? 100 : Math.min(99, Math.floor((fraction ?? 0) * 100)),
    created_at: secondsOf(row.created_at),
    completed_at:
      row.status === 'succeeded' && row.completed_at !== null ? secondsOf(row.completed_at) : null,
    expires_at: null,
    error: errorOf(row),
    model: row.model,
    prompt: asked.prompt ?? null,
    remixed_from_video_id: metadata[remixedKey] ?? null,
    seconds: seconds == null ? null : String(seconds),
    size: output?.width == null || output.height === null ? 'auto' : `${output.width}x${output.height}`,
  };
}

function errorOf({ status, error_code: code, error_message: message }: StoredDetail['row']): object | null {
  if (status === 'canceled') return { code: 'canceled', message: 'The video was canceled before it began.' };
  return status === 'failed' ? { code, message } : null;
}

/** Returns whole seconds since 1970. */
function secondsOf(time: string): number {
  return Math.floor(Date.parse(isoTime(time)) / 1_000);
}
