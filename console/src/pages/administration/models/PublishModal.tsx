import { creditsOf, millicreditsOf } from '@renderkit/contract/studio/credits.ts';
import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import type { ManagedModelDetail } from '@renderkit/contract/studio/administration/models.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { consoleQuery } from '../../../api/queries.ts';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { ActProblem } from '../ActProblem.tsx';
import { Differences } from '../../../ui/Differences.tsx';
import { useSample } from './Sample.tsx';
import { invalidateModels } from './invalidate-models.ts';

type PublishModalProps = {
  model: ManagedModelDetail;
  version: number;
  opened: boolean;
  onClose: () => void;
};

/**
 * Publishes a version at a price. Shows the changes before. `publishModel` in `studio/src/administration/models.ts`
 * refuses a version with problems.
 */
export function PublishModal({ model, version, opened, onClose }: PublishModalProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={`Offer version ${version} of ${model.name}`}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <PublishForm model={model} version={version} onClose={onClose} />
    </Modal>
  );
}

function PublishForm({ model, version, onClose }: Omit<PublishModalProps, 'opened'>) {
  const { id, published_version: offered } = model;
  const own = model.versions.find((one) => one.version === version)?.price.base_millicredits ?? 0;
  const proposed = useSample(id, version).data?.proposed_millicredits ?? null;
  // The sample's proposed price is used only for a model without a published version.
  const initial = offered === null && proposed !== null ? proposed : own;
  const [typed, setTyped] = useState<number | string>();
  const credits = typed ?? creditsOf(initial);
  const price = credits === '' ? undefined : millicreditsOf(Number(credits));
  const publish = usePublish(model, version, price === own ? undefined : price, onClose);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        publish.mutate();
      }}
    >
      <Stack gap="md">
        <NumberInput
          label="Price in credits"
          description={priceNote(proposed)}
          min={0}
          decimalScale={3}
          value={credits}
          onChange={setTyped}
          error={price === undefined ? 'Say what a generation costs; 0 is nothing.' : undefined}
          data-autofocus
        />
        <Changes id={id} from={offered} to={version} />
        <ActProblem
          error={publish.error}
          title="The version was not published"
          onRetry={() => publish.mutate()}
        />
        <Group justify="flex-end" gap="xs">
          <Text fz="xs" c="dimmed" mr="auto" maw="34ch">
            In force everywhere within two seconds. What was quoted before keeps its version and its price.
          </Text>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={publish.isPending} disabled={price === undefined}>
            Publish
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Publishes a version. With `price` undefined, the version's own price applies. */
function usePublish(
  { id, name }: ManagedModelDetail,
  version: number,
  price: number | undefined,
  onClose: () => void,
) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () =>
      callConsole('publishModel', {
        params: { id },
        body: { version, ...(price !== undefined && { price_millicredits: price }) },
      }),
    meta: { inline: true },
    onSuccess: async (published) => {
      await invalidateModels(queryClient, []);
      showToast(`${name} is on offer in version ${published.version}.`);
      onClose();
      // With another price, a new version was created.
      if (published.version !== version)
        await navigate({
          to: '/administration/models/$id',
          params: { id },
          search: { version: published.version },
          replace: true,
        });
    },
  });
}

function priceNote(proposed: number | null): string {
  const note = 'Of a generation, before what options and seconds add.';
  return proposed === null ? note : `${note} The sample's time would make it ${creditsOf(proposed)}.`;
}

/** Shows the differences from the published version, read-only. */
export function CompareModal({ model, version, opened, onClose }: PublishModalProps) {
  const from = model.published_version;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={`Version ${version} beside version ${from ?? ''} on offer`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Changes id={model.id} from={from} to={version} />
    </Modal>
  );
}

/** Shows what changes for users and machines. */
function Changes({ id, from, to }: { id: string; from: number | null; to: number }) {
  const diff = useQuery({
    ...consoleQuery('diffModel', { params: { id }, query: { ...(from !== null && { from }), to } }),
    enabled: from !== null,
  });
  if (from === null)
    return <Text fz="sm">It is offered for the first time, to everybody whose plan it names.</Text>;
  if (diff.error !== null) return <ProblemAlert error={diff.error} title="They could not be compared" />;
  if (diff.data === undefined) return <ListSkeleton rows={2} />;
  const { differences } = diff.data;
  return (
    <div>
      <Text fz="sm" fw={560} mb={6}>
        {differences.length === 0
          ? `It says the same as version ${from}.`
          : `Otherwise than version ${from}:`}
      </Text>
      <Differences differences={differences} />
    </div>
  );
}
