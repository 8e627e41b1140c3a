import { Button, Group, SegmentedControl, Slider, Text } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { Notice } from '../ui/Notice.tsx';
import { MaskCanvas } from './MaskCanvas.tsx';
import { MaskRectangle } from './MaskRectangle.tsx';
import { maskDataUrl } from './mask-data-url.ts';
import type { MaskStep, Size } from './mask-step.ts';
import { mayShow } from './mask-steps.ts';
import classes from './mask-painter.module.css';

type MaskPainterProps = {
  address: string;
  picture: Size;
  /** A mask of an earlier run is used until something is painted. */
  kept: boolean;
  /** What was painted so far. */
  strokes: readonly MaskStep[];
  onChange: (mask: string | undefined, strokes: readonly MaskStep[]) => void;
};

/** Part of the picture's longer side that the brush is wide, in percent. */
const widths = { min: 1, max: 40, start: 10 };

/** Paints a mask on a picture: by pointer, by finger, by keys, or by numbers. */
export function MaskPainter({ address, picture, kept, strokes: steps, onChange }: MaskPainterProps) {
  const { undone, add, undo, redo } = useMaskSteps(picture, steps, onChange);
  const [erase, setErase] = useState(false);
  const [percent, setPercent] = useState(widths.start);
  const width = (Math.max(picture.width, picture.height) * percent) / 100;
  return (
    <div className={classes['painter']}>
      {kept && steps.length === 0 && (
        <Notice>The mask of the earlier run is used. Paint to replace it.</Notice>
      )}
      <MaskCanvas {...{ address, picture, steps, width, erase, undo }} onStep={add} />
      <BrushControls {...{ erase, percent }} onErase={setErase} onPercent={setPercent} />
      <Group gap={6}>
        <Button
          variant="default"
          leftSection={<Icon name="undo" size={13} />}
          disabled={steps.length === 0}
          onClick={undo}
        >
          Undo
        </Button>
        <Button variant="default" disabled={undone.length === 0} onClick={redo}>
          Redo
        </Button>
        <Button variant="default" disabled={!mayShow(steps)} onClick={() => add({ kind: 'nothing' })}>
          Clear
        </Button>
        <Button variant="default" onClick={() => add({ kind: 'everything' })}>
          All
        </Button>
        <Button variant="default" onClick={() => add({ kind: 'invert' })}>
          Invert
        </Button>
      </Group>
      <MaskRectangle picture={picture} onStep={add} />
    </div>
  );
}

/** What was painted, with a way back and forth. Each change is told as the mask that it makes. */
function useMaskSteps(picture: Size, steps: readonly MaskStep[], onChange: MaskPainterProps['onChange']) {
  const [undone, setUndone] = useState<readonly MaskStep[]>([]);
  const show = (next: readonly MaskStep[], left: readonly MaskStep[]) => {
    setUndone(left);
    onChange(mayShow(next) ? maskDataUrl(next, picture) : undefined, next);
  };
  const last = steps.at(-1);
  const next = undone.at(-1);
  return {
    undone,
    add: (step: MaskStep) => show([...steps, step], []),
    undo: () => last !== undefined && show(steps.slice(0, -1), [...undone, last]),
    redo: () => next !== undefined && show([...steps, next], undone.slice(0, -1)),
  };
}

type BrushControlsProps = {
  erase: boolean;
  percent: number;
  onErase: (erase: boolean) => void;
  onPercent: (percent: number) => void;
};

function BrushControls({ erase, percent, onErase, onPercent }: BrushControlsProps) {
  return (
    <Group gap="xs" align="center">
      <SegmentedControl
        size="xs"
        aria-label="Tool"
        data={[
          { value: 'brush', label: 'Brush' },
          { value: 'eraser', label: 'Eraser' },
        ]}
        value={erase ? 'eraser' : 'brush'}
        onChange={(tool) => onErase(tool === 'eraser')}
      />
      <Group gap={8} wrap="nowrap" className={classes['size']}>
        <Text fz="xs" c="dimmed">
          Size
        </Text>
        <Slider
          flex={1}
          size="sm"
          label={null}
          min={widths.min}
          max={widths.max}
          value={percent}
          onChange={onPercent}
          thumbLabel="Width of the brush, in percent of the picture"
        />
      </Group>
    </Group>
  );
}
