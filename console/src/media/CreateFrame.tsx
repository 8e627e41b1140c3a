import { Button, Checkbox, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callV1 } from '../api/client.ts';
import { Icon } from '../ui/Icon.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';
import classes from './create-frame.module.css';
import { readLibraryAgain } from './use-asset.ts';
import type { MediaItem } from './media-item.ts';

/**
 * Takes one frame from a video. Saves it in the video's project if the person wants that. `studio/src/library/store.ts`
 * decides how long an unsaved frame is kept.
 */
export function CreateFrame({ item, projectId }: { item: MediaItem; projectId: string | null }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<Icon name="image" size={14} />} onClick={() => setOpened(true)}>
        Take a frame
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Take a frame"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <FrameForm item={item} projectId={projectId} />
      </Modal>
    </>
  );
}

function FrameForm({ item, projectId }: { item: MediaItem; projectId: string | null }) {
  const [seconds, setSeconds] = useState(0);
  const [last, setLast] = useState(false);
  const [saved, setSaved] = useState(projectId !== null);
  const queries = useQueryClient();
  const take = useMutation({
    meta: { inline: true },
    mutationFn: () =>
      callV1('createFrame', {
        params: { id: item.id },
        body: {
          time: last ? 'last' : seconds,
          ...(saved && projectId !== null && { project_id: projectId }),
        },
      }),
    onSuccess: () => saved && readLibraryAgain(queries),
  });
  const frameUrl = take.data?.url;
  return (
    <Stack gap="sm">
      <NumberInput
        label="Seconds from the start"
        min={0}
        max={item.duration ?? undefined}
        step={0.1}
        decimalScale={3}
        value={seconds}
        disabled={last}
        onChange={(value) => setSeconds(Math.max(0, Number(value) || 0))}
        data-autofocus
      />
      <Checkbox
        label="The last frame"
        checked={last}
        onChange={({ currentTarget }) => setLast(currentTarget.checked)}
      />
      {projectId !== null && (
        <Checkbox
          label="Keep it in the library, in the project of the video"
          checked={saved}
          onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
        />
      )}
      {take.error !== null && <ProblemAlert error={take.error} title="No frame was taken" />}
      {frameUrl !== undefined && (
        <div className={classes['frame']}>
          <img src={frameUrl} alt="The frame" crossOrigin="anonymous" />
          <Text fz="xs" c="dimmed" role="status">
            {take.data !== undefined && saved && projectId !== null
              ? 'It is in the library.'
              : 'It is kept nowhere else.'}
          </Text>
        </div>
      )}
      <Group justify="flex-end" gap="xs">
        {frameUrl !== undefined && (
          <Button component="a" href={frameUrl} target="_blank" rel="noreferrer" variant="default">
            Open in a new tab
          </Button>
        )}
        <Button loading={take.isPending} onClick={() => take.mutate()}>
          {frameUrl === undefined ? 'Take the frame' : 'Take another'}
        </Button>
      </Group>
    </Stack>
  );
}
