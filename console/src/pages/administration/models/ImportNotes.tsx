import { Stack } from '@mantine/core';
import type { ImportedModel } from '@renderkit/contract/studio/administration/models.ts';
import { Notice } from '../../../ui/Notice.tsx';
import classes from './models.module.css';

/** What was found wrong, in an operator's words, and what else there is to know. */
export function ImportNotes({ imported: { problems, warnings } }: { imported: ImportedModel }) {
  if (problems.length === 0 && warnings.length === 0) return null;
  return (
    <Stack gap="xs">
      {problems.length > 0 && (
        <Notice tone="bad" title="It cannot be published like this">
          <ul className={classes['problems']}>
            {problems.map(({ code, message, node, input, line }) => (
              <li key={`${code} ${message}`}>
                {message} {placeOf({ node, input, line })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice title="Good to know">
          <ul className={classes['problems']}>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
    </Stack>
  );
}

type Place = Record<'node' | 'input', string | undefined> & { line: number | undefined };

function placeOf({ node, input, line }: Place): string {
  if (line !== undefined) return `(line ${line})`;
  if (node === undefined) return '';
  return input === undefined ? `(node ${node})` : `(node ${node}, ${input})`;
}
