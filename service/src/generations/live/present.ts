import type { RenderPreview, RenderProgress } from '@renderkit/contract/studio/progress.ts';
import type { ProgressStage } from '@renderkit/contract/v1/progress.ts';
import type { Preview, PreviewMode, Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import { isFinal } from '../settle/status.ts';
import type { LiveView } from './slot-times.ts';
import type { LiveRow } from './store.ts';

/** The studio's last report about a render. `isAway`: the studio cannot be asked now. */
export type StudioWord = { progress: RenderProgress | undefined; isAway: boolean };

/** Returns the progress of a generation from its record and the studio's report (docs/api.md §2). */
export function progressOf(row: LiveView, { progress, isAway }: StudioWord): Progress {
  const { generation } = row;
  const known = generation.status === 'running' ? progress : undefined;
  const succeeded = generation.status === 'succeeded';
  return {
    object: 'progress',
    generation_id: generation.id,
    stage: stageOf(row, known),
    fraction: succeeded ? 1 : (known?.fraction ?? null),
    step: known?.step ?? null,
    steps: known?.steps ?? null,
    outputs_done: succeeded
      ? (JSON.parse(generation.outputs) as unknown[]).length
      : (known?.outputs_done ?? 0),
    outputs_expected: generation.expected_outputs,
    queue: generation.status === 'queued' ? queueOf(row, isAway) : (known?.queue ?? null),
    // No generation starts while the studio is unreachable.
    starts_in_seconds: known?.starts_in_seconds ?? (isAway ? null : row.starts),
    finishes_in_seconds: known?.finishes_in_seconds ?? null,
    at: new Date().toISOString(),
  };
}

function stageOf(
  { generation: { status }, blocked, holdsSlot }: LiveRow,
  known: RenderProgress | undefined,
): ProgressStage {
  if (isFinal(status)) return 'done';
  if (status === 'running') return known?.stage ?? 'waiting_for_engine';
  if (blocked) return 'checking';
  return holdsSlot ? 'submitting' : 'queued';
}

/**
 * Returns why a generation waits and its place in the queue; null where the record shows no reason. While a generation
 * runs, the studio decides the reason: `studio/sql/functions/queue_reason.sql`.
 */
function queueOf(row: LiveRow, isAway: boolean): Progress['queue'] {
  const { blocked, holdsSlot, pausing, freeSlots, freeLaneSlots, position, of } = row;
  if (blocked) return { position: null, of: null, reason: 'reference_processing' };
  if (holdsSlot) return null;
  const inQueue = { position, of };
  if (isAway) return { ...inQueue, reason: 'studio_unreachable' };
  if (freeSlots !== null && freeSlots <= 0) return { ...inQueue, reason: 'account_full' };
  if (freeLaneSlots !== null && freeLaneSlots <= 0) return { ...inQueue, reason: 'lane_full' };
  return pausing ? { ...inQueue, reason: 'scheduled_retry' } : null;
}

/** Returns the data of a preview event; undefined where the client wants none. `bytes`: the JPEG in base64. */
export function previewOf(
  id: string,
  preview: RenderPreview,
  mode: PreviewMode,
  bytes: string | undefined,
): Preview | undefined {
  if (mode === 'none') return undefined;
  const { index, revision, width, height } = preview;
  const link = `/v1/generations/${id}/previews/${index}?r=${revision}`;
  const url = mode === 'inline' && bytes !== undefined ? `data:image/jpeg;base64,${bytes}` : link;
  return {
    object: 'preview',
    generation_id: id,
    index,
    revision,
    url,
    width,
    height,
    content_type: 'image/jpeg',
  };
}
