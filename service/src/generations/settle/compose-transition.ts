import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import { isoTime } from '../../iso-time.ts';
import { composeEvent } from '../../webhooks/events/compose-event.ts';
import { generationText } from '../present.ts';
import { provenanceOf } from '../provenance.ts';
import { type GenerationError, missingOutputs, renderError } from './failure-sentences.ts';
import type { UnsettledRow } from './store.ts';
import type { Transition } from './transition-store.ts';

/** Composes the transition from queued to running, for a render that the studio has. */
export function toRunning(generation: { id: string; account_id: string }, render: Render): Transition {
  return {
    id: generation.id,
    accountId: generation.account_id,
    from: 'queued',
    to: 'running',
    promptId: render.prompt_id,
    projectId: render.project_id,
    chargeLedgerSeq: render.ledger_seq,
  };
}

/** Composes the transition from running to the render's final status, with its event. */
export function toFinal(row: UnsettledRow, render: Render): Transition {
  if (render.status === 'failed') return toFailed(row, { from: 'running', error: renderError(render.error) });
  const outputs = JSON.stringify(render.outputs.map(presentOutput));
  const provenance = provenanceOf(render);
  const error =
    render.error !== null || render.outputs.length < row.expected_outputs ? missingOutputs : undefined;
  const text = generationText({
    ...row,
    status: 'succeeded',
    outputs,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    completed_at: row.at,
  });
  return {
    id: row.id,
    accountId: row.account_id,
    from: 'running',
    to: 'succeeded',
    at: row.at,
    outputs,
    ...(provenance !== undefined && { provenance }),
    ...(error !== undefined && { error }),
    event: composeEvent('generation.succeeded', text, isoTime(row.at)),
    text,
  };
}

/** Composes the transition to failed, with its event. */
export function toFailed(
  row: UnsettledRow,
  failure: { from: 'queued' | 'running'; attempt?: number; untouched?: boolean; error: GenerationError },
): Transition {
  const { from, attempt, untouched, error } = failure;
  const text = generationText({
    ...row,
    status: 'failed',
    error_code: error.code,
    error_message: error.message,
    completed_at: row.at,
  });
  return {
    id: row.id,
    accountId: row.account_id,
    from,
    to: 'failed',
    at: row.at,
    error,
    event: composeEvent('generation.failed', text, isoTime(row.at)),
    text,
    ...(attempt !== undefined && { attempt }),
    ...(untouched !== undefined && { untouched }),
  };
}

// Copies each field by name, so that unknown fields of a studio are left out.
function presentOutput(output: Render['outputs'][number]): Output {
  return {
    id: output.id,
    type: output.type,
    url: output.url,
    thumb_url: output.thumb_url,
    width: output.width,
    height: output.height,
    duration: output.duration,
    nsfw: output.nsfw,
    request_id: output.request_id,
  };
}
