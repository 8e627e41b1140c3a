import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import { isoTime } from '../../iso-time.ts';
import { composeEvent } from '../../webhooks/events/compose-event.ts';
import { generationText } from '../present.ts';
import { provenanceOf } from '../provenance.ts';
import { type GenerationError, missingOutputs, renderError } from './failure-sentences.ts';
import type { UnsettledRow } from './store.ts';
import type { Transition } from './transition-store.ts';

/** The studio has it: from queued to running. */
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

/** From running to what the studio made of it, with the event that tells of it. */
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

/** To failed, with the event that tells of it. */
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

// Named one by one: what else a studio may send does not pass through.
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
