import { Button, Group, NumberInput, SegmentedControl, Slider, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { Notice } from '../ui/Notice.tsx';
import { MaskCanvas } from './MaskCanvas.tsx';
import classes from './mask-painter.module.css';
import type { MaskStep, Size } from './mask-step.ts';
import { type MaskGround, maskOf } from './mask-drawing.ts';
import { mayShow, rectangleOf } from './mask-steps.ts';

type MaskPainterProps = MaskGround & {
  address: string;
  /** The mask of an earlier request is used. */
  kept: boolean;
  /** The steps painted so far. */
  strokes: readonly MaskStep[];
  onChange: (mask: string | undefined, strokes: readonly MaskStep[]) => void;
};

/** Width of the brush in percent of the image's longer side. */
const widths = { min: 1, max: 40, start: 10 };

/** Paints a mask on an image by pointer, by finger, by keys, or by numbers. */
export function MaskPainter(props: MaskPainterProps) {
  const { address, image, kept, images, strokes: steps, onChange } = props;
  const { undone, add, undo, redo } = useMaskSteps(props, steps, onChange);
  const [erase, setErase] = useState(false);
  const [percent, setPercent] = useState(widths.start);
  const width = (Math.max(image.width, image.height) * percent) / 100;
  return (
    <div className={classes['painter']}>
      {kept && steps.length === 0 && (
        <Notice>
          The mask of the earlier run is used, which is kept for a day. Paint to put another in its place.
        </Notice>
      )}
      <MaskCanvas {...{ address, image, images, steps, width, erase, undo }} onStep={add} />
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
      <MaskRectangle image={image} onStep={add} />
    </div>
  );
}

/** Manages the steps with undo and redo. Calls `onChange` with the whole mask after each change. */
function useMaskSteps(on: MaskGround, steps: readonly MaskStep[], onChange: MaskPainterProps['onChange']) {
  const [undone, setUndone] = useState<readonly MaskStep[]>([]);
  const show = (next: readonly MaskStep[], left: readonly MaskStep[]) => {
    setUndone(left);
    onChange(maskOf(next, on), next);
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

const edges = ['left', 'top', 'width', 'height'] as const;

/** Adds a rectangle by numbers, for people without a pointer and for exact positions. */
function MaskRectangle({ image, onStep }: { image: Size; onStep: (step: MaskStep) => void }) {
  const [opened, setOpened] = useState(false);
  const [percent, setPercent] = useState({ left: 25, top: 25, width: 50, height: 50 });
  const add = (erase: boolean) => onStep({ kind: 'rectangle', erase, ...rectangleOf(percent, image) });
  return (
    <div>
      <UnstyledButton className={classes['toggle']} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <Icon name={opened ? 'down' : 'right'} size={13} />
        Rectangle by numbers
      </UnstyledButton>
      {opened && (
        <Group gap={8} mt={6} align="end">
          {edges.map((edge) => (
            <NumberInput
              key={edge}
              size="xs"
              w="4.6rem"
              label={`${edge.charAt(0).toUpperCase()}${edge.slice(1)} %`}
              min={0}
              max={100}
              value={percent[edge]}
              onChange={(value) => setPercent({ ...percent, [edge]: Number(value) || 0 })}
            />
          ))}
          <Button variant="default" onClick={() => add(false)}>
            Paint it
          </Button>
          <Button variant="default" onClick={() => add(true)}>
            Erase it
          </Button>
        </Group>
      )}
    </div>
  );
}
