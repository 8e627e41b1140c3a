import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type {
  Generation,
  GenerationKind,
  GenerationStatus,
} from '@renderkit/contract/v1/schemas/generation.ts';
import { isoTime } from '../iso-time.ts';

/** A generation as its record contains it. Times are PostgreSQL's text in UTC; outputs and metadata are JSON text. */
export type GenerationRow = {
  id: string;
  kind: GenerationKind;
  status: GenerationStatus;
  model: string;
  project_id: string | null;
  cost_millicredits: number;
  expected_outputs: number;
  outputs: string;
  error_code: string | null;
  error_message: string | null;
  prompt_id: string | null;
  metadata: string;
  created_at: string;
  submitted_at: string | null;
  completed_at: string | null;
};

/** The text of a 202 after its `created_at`. */
export const acceptedBodyEnd = '","submitted_at":null,"completed_at":null}';

/**
 * Returns the JSON text of a Generation (docs/api.md §2). JSON in the record is inserted unchanged.
 * `settle/compose-transition.ts` makes the text of the outputs and decides `partial_failure`.
 */
export function generationText(row: GenerationRow): string {
  return `${textBeforeTimes(row)}${isoTime(row.created_at)}","submitted_at":${timeText(row.submitted_at)},"completed_at":${timeText(row.completed_at)}}`;
}

/**
 * Like `generationText` for a generation that is about to be accepted, up to its `created_at`, which the database adds.
 */
export function acceptedBodyStart(
  row: Pick<
    GenerationRow,
    'id' | 'kind' | 'model' | 'project_id' | 'cost_millicredits' | 'expected_outputs' | 'metadata'
  >,
): string {
  return textBeforeTimes({
    ...row,
    status: 'queued',
    outputs: '[]',
    error_code: null,
    error_message: null,
    prompt_id: null,
  });
}

/** Returns the list envelope around texts of generations (docs/api.md §2). */
export function generationListText(
  texts: readonly string[],
  page: { page: number; limit: number; hasMore: boolean },
): string {
  return `{"object":"list","data":[${texts.join(',')}],"page":${page.page},"limit":${page.limit},"has_more":${page.hasMore}}`;
}

function textBeforeTimes(row: Omit<GenerationRow, 'created_at' | 'submitted_at' | 'completed_at'>): string {
  const object = 'generation' satisfies Generation['object'];
  const error =
    row.error_code === null
      ? 'null'
      : `{"code":${JSON.stringify(row.error_code)},"message":${JSON.stringify(row.error_message ?? '')}}`;
  return `{"id":"${row.id}","object":"${object}","kind":"${row.kind}","status":"${row.status}","model":${JSON.stringify(row.model)},"project_id":${JSON.stringify(row.project_id)},"cost":{"credits":${creditsOf(row.cost_millicredits)}},"expected_outputs":${row.expected_outputs},"outputs":${row.outputs},"error":${error},"prompt_id":${JSON.stringify(row.prompt_id)},"metadata":${row.metadata},"created_at":"`;
}

function timeText(time: string | null): string {
  return time === null ? 'null' : `"${isoTime(time)}"`;
}
