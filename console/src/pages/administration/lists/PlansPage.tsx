import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Plan } from '@renderkit/contract/studio/administration/lists.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { callConsole } from '../../../api/client.ts';
import { consoleQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { Page } from '../../../ui/Page.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { PlansTable } from './PlansTable.tsx';
import { EditActions } from './EditActions.tsx';
import { OlderVersion } from './OlderVersion.tsx';
import { ReviewModal } from './ReviewModal.tsx';
import { useEditedList } from './use-edited-list.ts';

/**
 * The plans, which define what accounts may do. They are edited in place and published together. `putPlansInForce` in
 * `studio/src/catalog/publish.ts` refuses a list that lacks a plan in use.
 */
export function PlansPage() {
  const published = useQuery(consoleQuery('getPlans', {}));
  const plans = useEditedList<Plan>(
    published.data && { version: published.data.version, items: published.data.plans },
  );
  const [reviewing, review] = useDisclosure(false);
  const body = { plans: [...plans.items] };
  const preview = useQuery({
    ...consoleQuery('previewPlans', { body }),
    enabled: reviewing,
    gcTime: 0,
  });
  const publish = usePublishPlans({ version: plans.version, ...body }, () => {
    plans.discard();
    review.close();
  });
  return (
    <Page
      title="Plans"
      description="What accounts may do. New accounts have the first plan. Limits hold at once for everybody who has a plan, its credits from the next renewal on."
      actions={
        <EditActions list={plans} onReview={review.open}>
          <OlderVersion
            published={published.data}
            edited={plans.isEdited}
            load={(version) => readOlder(version).then(plans.begin)}
          />
        </EditActions>
      }
    >
      {published.error !== null && (
        <ProblemAlert error={published.error} title="The plans could not be read" />
      )}
      {published.isPending && <ListSkeleton />}
      {published.data !== undefined && (
        <>
          <PlansTable plans={plans} accounts={published.data.accounts} />
          <Group>
            <Button
              variant="default"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => plans.add(newPlan(plans.items))}
            >
              Add a plan
            </Button>
          </Group>
        </>
      )}
      <ReviewModal
        what="plans"
        opened={reviewing}
        onClose={review.close}
        preview={preview}
        publish={publish}
      />
    </Page>
  );
}

async function readOlder(version: number): Promise<Plan[]> {
  return (await callConsole('getPlansVersion', { params: { version: String(version) } })).plans;
}

function usePublishPlans(body: { version: number; plans: Plan[] }, onPublished: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => callConsole('publishPlans', { body }),
    meta: { inline: true },
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      showToast('The plans are in force.');
      onPublished();
    },
  });
}

/** Returns a copy of the last plan under a free key. */
function newPlan(plans: readonly Plan[]): Plan {
  const last = plans.at(-1);
  let number = plans.length + 1;
  while (plans.some(({ key }) => key === `plan-${number}`)) number += 1;
  const plan = { key: `plan-${number}`, name: `Plan ${number}` };
  return last === undefined ? { ...emptyPlan, ...plan } : { ...last, ...plan };
}

const emptyPlan: Plan = {
  key: '',
  name: '',
  monthly_credits: 0,
  limits: { image: 1, edit: 1, video: 1, overall: 2 },
  capabilities: {
    uploads: true,
    audio_upload: false,
    video_upload: false,
    custom_models: false,
    character_creation_modes: [],
  },
  weight: 1,
  storage_bytes: 2 ** 31,
  stop_refund: 'none',
};
