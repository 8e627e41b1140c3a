import { Stack } from '@mantine/core';
import type { ManifestProblem } from '@renderkit/contract/studio/administration/models.ts';
import { Notice } from '../../../ui/Notice.tsx';
import classes from './models.module.css';

type ImportNotesProps = {
  problems?: readonly ManifestProblem[];
  title?: string;
  /** Why no backend can make the model for now. */
  lacking?: readonly string[];
  warnings?: readonly string[];
};

/** Shows problems in words for an operator, and other notes. */
export function ImportNotes({
  problems = [],
  title = 'It cannot be published like this',
  lacking = [],
  warnings = [],
}: ImportNotesProps) {
  if (problems.length + lacking.length + warnings.length === 0) return null;
  return (
    <Stack gap="xs">
      {problems.length > 0 && (
        <Notice tone="bad" title={title}>
          <Sentences of={problems.map((one) => `${one.message} ${placeOf(one)}`)} />
        </Notice>
      )}
      {lacking.length > 0 && (
        <Notice tone="warning" title="Published now, it would be paused until a backend can make it">
          <Sentences of={lacking} />
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice title="Good to know">
          <Sentences of={warnings} />
        </Notice>
      )}
    </Stack>
  );
}

function Sentences({ of: sentences }: { of: readonly string[] }) {
  return (
    <ul className={classes['problems']}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function placeOf({ node, input, line }: ManifestProblem): string {
  if (line !== undefined) return `(line ${line})`;
  if (node === undefined) return '';
  return input === undefined ? `(node ${node})` : `(node ${node}, ${input})`;
}
