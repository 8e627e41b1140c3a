import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { ReactNode } from 'react';
import { formatCount } from '../format/numbers.ts';
import { Notice } from '../ui/Notice.tsx';
import { whatToDo } from './generation-status.ts';

type GenerationErrorProps = { generation: Generation; children?: ReactNode };

/**
 * Shows why a generation failed or made fewer outputs than expected, and what to do. Shows nothing without an error.
 */
export function GenerationError({ generation, children }: GenerationErrorProps) {
  const { status, outputs, error, expected_outputs: expected } = generation;
  if (error === null) return null;
  const partial = status === 'succeeded';
  return (
    <Notice
      tone={partial ? 'warning' : 'bad'}
      title={partial ? `${outputs.length} of ${formatCount(expected, 'output')} were made` : 'It failed'}
    >
      <div>{error.message}</div>
      <div>{whatToDo(error.code)}</div>
      {children}
    </Notice>
  );
}
