import { Button, Group, Modal, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { type RefObject, useState } from 'react';
import { formatCount, formatCredits } from '../../format/numbers.ts';
import type { RequestBody } from '../../generations/kind-labels.ts';
import {
  axesOf,
  type Axis,
  type ChosenAxis,
  type GridCell,
  gridOf,
  maxGridRuns,
  readNumbers,
} from '../../model-form/grid.ts';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { useTotal, whyUnpriced } from './use-estimate.ts';

type VaryProps = {
  kind: GenerationKind;
  model: Model;
  body: RequestBody;
  /** Button of the menu that opened this dialog. */
  opener: RefObject<HTMLElement | null>;
  onClose: () => void;
  onRun: (cells: readonly GridCell[]) => void;
};

/** The choice for an axis: values of a list, or numbers as typed. */
type Choice = { path: string | null; values: string[]; text: string };

const nothing: Choice = { path: null, values: [], text: '' };

/** Runs the request for each value of one setting, or for each pair of two. */
export function Vary({ kind, model, body, opener, onClose, onRun }: VaryProps) {
  useFocusReturn(opener);
  const axes = axesOf(kind, model);
  const [first, setFirst] = useState(nothing);
  const [second, setSecond] = useState(nothing);
  // A second setting equal to the first would pay twice for the same pictures.
  const others = axes.filter(({ path }) => path !== first.path);
  const chosen = [...chosenOf(axes, first), ...chosenOf(others, second)];
  const cells = chosen.length === 0 ? [] : gridOf(body, chosen);
  const isRunnable = cells.length >= 2 && cells.length <= maxGridRuns;
  return (
    <Modal
      opened
      onClose={onClose}
      title="Vary settings"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          One run for each value, or for each pair of values, all with the same seed. Each run is paid for by
          itself.
        </Text>
        <AxisField label="First setting" choice={first} onChange={setFirst} axes={axes} />
        <AxisField label="Second setting" choice={second} onChange={setSecond} axes={others} />
        {cells.length > maxGridRuns && (
          <Text fz="sm" c="var(--mantine-color-error)" role="alert">
            These are {cells.length} runs; {maxGridRuns} can be started at once.
          </Text>
        )}
        <Group justify="flex-end">
          {isRunnable && <Price {...{ kind, model, cells }} />}
          <Button
            size="sm"
            disabled={!isRunnable}
            onClick={() => {
              onRun(cells);
              onClose();
            }}
          >
            {cells.length < 2 ? 'Choose some values' : `Start ${formatCount(cells.length, 'run')}`}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The total price of the runs. Some settings change the price. */
function Price({ kind, model, cells }: Pick<VaryProps, 'kind' | 'model'> & { cells: readonly GridCell[] }) {
  const total = useTotal(
    kind,
    model,
    cells.map((cell) => cell.body),
  );
  const { credits, balance, error } = total;
  const isTooMuch = credits !== undefined && balance !== null && credits > balance;
  return (
    <Text fz="sm" role="status" c={error !== null || isTooMuch ? 'var(--mantine-color-error)' : 'dimmed'}>
      {error !== null
        ? whyUnpriced(error)
        : credits === undefined
          ? 'Asking what it costs…'
          : `${formatCount(credits, 'credit')} together${balance === null ? '' : `; you have ${formatCredits(balance)}`}`}
    </Text>
  );
}

type AxisFieldProps = {
  label: string;
  axes: readonly Axis[];
  choice: Choice;
  onChange: (choice: Choice) => void;
};

function AxisField({ label, axes, choice, onChange }: AxisFieldProps) {
  const axis = axes.find(({ path }) => path === choice.path);
  return (
    <Group grow align="start">
      <Select
        label={label}
        placeholder="None"
        clearable
        clearButtonProps={{ 'aria-label': `No ${label.toLowerCase()}` }}
        data={axes.map((one) => ({ value: one.path, label: one.label }))}
        value={axis === undefined ? null : choice.path}
        onChange={(path) => onChange({ ...nothing, path })}
      />
      {axis === undefined ? null : axis.range === undefined ? (
        <MultiSelect
          label="Values"
          data={axis.values.map(({ value, label: name }) => ({ value: String(value), label: name }))}
          value={choice.values}
          onChange={(values) => onChange({ ...choice, values })}
        />
      ) : (
        <TextInput
          label="Values"
          description={`Numbers from ${axis.range.min} to ${axis.range.max}`}
          inputWrapperOrder={['label', 'input', 'description']}
          placeholder={`${axis.range.min}, ${axis.range.default}, ${axis.range.max}`}
          value={choice.text}
          onChange={({ currentTarget }) => onChange({ ...choice, text: currentTarget.value })}
        />
      )}
    </Group>
  );
}

/** Returns the axis with its chosen values, or an empty list when no value is chosen. */
function chosenOf(axes: readonly Axis[], { path, values, text }: Choice): ChosenAxis[] {
  const axis = axes.find((one) => one.path === path);
  if (axis === undefined) return [];
  const taken =
    axis.range === undefined
      ? axis.values.map(({ value }) => value).filter((value) => values.includes(String(value)))
      : readNumbers(text, axis.range);
  return taken.length === 0 ? [] : [{ axis, values: taken }];
}
