import { Button, Select, Text } from '@mantine/core';
import type { ManagedParameter, ManifestProblem } from '@renderkit/contract/studio/administration/models.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { sourceChoices, sourceLabel } from './model-texts.ts';
import classes from './models.module.css';
import type { Bindings } from './use-bindings.ts';

type ParametersTableProps = {
  parameters: readonly ManagedParameter[];
  /** Problems, each shown with its input. */
  problems?: readonly ManifestProblem[];
  /** Choices that are not saved yet. */
  bindings?: Bindings;
  /** Called with other sources. `undefined`: nothing can be changed. */
  onChange?: (changes: readonly (readonly [target: string, source: string])[]) => void;
  disabled?: boolean;
};

/**
 * Returns whether the import guessed this parameter and nobody has confirmed it. The parameter is then not used.
 * `engines/comfyui/src/detect-parameters.ts` collects the findings, and how certain each is.
 */
export function isOpenGuess({ sure, confirmed }: ManagedParameter): boolean {
  return sure === 'guess' && !confirmed;
}

/** Shows what requests can set, which input receives it, how certain that is, and its problems. */
export function ParametersTable({
  parameters,
  problems = [],
  bindings = new Map(),
  onChange,
  disabled = false,
}: ParametersTableProps) {
  const used = parameters.flatMap(({ sources }) => sources);
  return (
    <DataTable
      label="Parameters"
      rows={parameters}
      rowKey={({ target }) => target}
      columns={[
        {
          title: 'What requests say',
          cell: (parameter) =>
            onChange === undefined ? (
              sourcesText(parameter)
            ) : (
              <Source
                parameter={parameter}
                used={used}
                chosen={bindings.get(parameter.target)}
                disabled={disabled}
                onChange={(source) => onChange([[parameter.target, source]])}
              />
            ),
        },
        targetColumn,
        {
          title: 'How sure',
          cell: (parameter) =>
            bindings.has(parameter.target) ? (
              <StatusBadge status="draft" label="Not saved" />
            ) : (
              <SureBadge parameter={parameter} />
            ),
        },
        {
          title: 'Why',
          minWidth: '10.5rem',
          ownLine: true,
          cell: (parameter) => <Why parameter={parameter} problems={problems} />,
        },
      ]}
    />
  );
}

const targetColumn: Column<ManagedParameter> = {
  title: 'Goes to',
  minWidth: '8.5rem',
  ownLine: true,
  cell: ({ target, node }) => (
    <div>
      <Text fz="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {target}
      </Text>
      {node !== null && (
        <Text fz="xs" c="dimmed">
          node {node}
        </Text>
      )}
    </div>
  ),
};

const sureLabels = { sure: 'Sure', likely: 'Likely', guess: 'A guess' } as const;

function SureBadge({ parameter }: { parameter: ManagedParameter }) {
  const { sure } = parameter;
  return sure === 'guess' && !isOpenGuess(parameter) ? (
    <StatusBadge status="sure" label="Confirmed" />
  ) : (
    <StatusBadge status={sure} label={sureLabels[sure]} />
  );
}

function Why({
  parameter: { target, node, reason },
  problems,
}: {
  parameter: ManagedParameter;
  problems: readonly ManifestProblem[];
}) {
  const input = target.slice(target.indexOf('.') + 1);
  const own = problems.filter((one) => node !== null && one.node === node && one.input === input);
  return (
    <>
      <Text fz="xs" c="dimmed">
        {reason}
      </Text>
      {own.map(({ code, message }) => (
        <Text key={`${code} ${message}`} fz="xs" c="var(--rk-bad)">
          {message}
        </Text>
      ))}
    </>
  );
}

function sourcesText({ sources, source }: ManagedParameter): string {
  return (sources.length === 0 ? [source] : sources).map((one) => sourceLabel(one)).join(', ');
}

type SourceProps = {
  parameter: ManagedParameter;
  used: readonly string[];
  /** The chosen new source. For a guess, the same source means that the guess is confirmed. */
  chosen: string | undefined;
  disabled: boolean;
  onChange: (source: string) => void;
};

/** Shows the source of an input. The person can change it, or confirm a guess. */
function Source({ parameter, used, chosen, disabled, onChange }: SourceProps) {
  const { target, source } = parameter;
  return (
    <div className={classes['source']}>
      <Select
        aria-label={`What ${target} is set from`}
        size="xs"
        searchable
        allowDeselect={false}
        data={sourceChoices(used)}
        value={chosen ?? source}
        disabled={disabled}
        onChange={(one) => one !== null && onChange(one)}
      />
      {isOpenGuess(parameter) && chosen === undefined && (
        <Button
          variant="default"
          disabled={disabled}
          aria-label={`Confirm ${sourceLabel(source)} for ${target}`}
          onClick={() => onChange(source)}
        >
          Confirm
        </Button>
      )}
    </div>
  );
}
