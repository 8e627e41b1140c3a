import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import classes from './code-block.module.css';

export type CodeSample = { name: string; text: string };

type CodeBlockProps = {
  /** Name of the code: "Request". */
  label: string;
  /** One sample, or several to choose from: curl, TypeScript, Python. */
  samples: readonly CodeSample[];
  /** Breaks long lines. */
  wrap?: boolean;
  /** The largest height before the code scrolls, in rem. */
  maxHeight?: number;
};

/** Code to read and to copy. */
export function CodeBlock({ label, samples, wrap = false, maxHeight = 26 }: CodeBlockProps) {
  const [chosen, setChosen] = useState(samples[0]?.name);
  const sample = samples.find((one) => one.name === chosen) ?? samples[0];
  return (
    <div className={classes['block']}>
      <div className={classes['bar']}>
        {samples.length > 1 ? (
          <SegmentedControl
            size="xs"
            data={samples.map((one) => one.name)}
            value={sample?.name ?? ''}
            onChange={setChosen}
            aria-label={`${label}: shown as`}
          />
        ) : (
          <span className={classes['label']}>{label}</span>
        )}
        <CopyButton value={sample?.text ?? ''} label={`Copy: ${label}`} />
      </div>
      <pre
        className={classes['code']}
        data-wrap={wrap}
        style={{ maxHeight: `${maxHeight}rem` }}
        role="group"
        tabIndex={0}
        aria-label={label}
      >
        <code>{sample?.text}</code>
      </pre>
    </div>
  );
}
