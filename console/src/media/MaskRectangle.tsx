import { Button, Group, NumberInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import type { MaskStep, Size } from './mask-step.ts';
import { rectangleOf } from './mask-steps.ts';
import classes from './mask-painter.module.css';

const edges = ['left', 'top', 'width', 'height'] as const;

/** A rectangle told by numbers: painting for who has no pointer, and for who wants it exact. */
export function MaskRectangle({ picture, onStep }: { picture: Size; onStep: (step: MaskStep) => void }) {
  const [opened, setOpened] = useState(false);
  const [percent, setPercent] = useState({ left: 25, top: 25, width: 50, height: 50 });
  const add = (erase: boolean) => onStep({ kind: 'rectangle', erase, ...rectangleOf(percent, picture) });
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
