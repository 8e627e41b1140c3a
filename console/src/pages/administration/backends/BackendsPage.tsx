import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { consoleQuery, live } from '../../../api/queries.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { Page } from '../../../ui/Page.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { BackendModal } from './BackendModal.tsx';
import { BackendsTable } from './BackendsTable.tsx';
import { ProviderCosts } from './ProviderCosts.tsx';

const route = getRouteApi('/signed-in/administration/backends');

/** The machines and services that render, and their state. */
export function BackendsPage() {
  const navigate = route.useNavigate();
  const backends = useQuery({ ...consoleQuery('listBackends', {}), refetchInterval: live });
  const [adding, add] = useDisclosure(false);
  return (
    <Page
      title="Backends"
      description="Machines and services that render. Two of them come with the product and draw by themselves."
      actions={
        <Button leftSection={<Icon name="plus" size={14} />} onClick={add.open}>
          Add a backend
        </Button>
      }
    >
      {backends.error !== null && (
        <ProblemAlert error={backends.error} title="The backends could not be read" />
      )}
      {backends.isPending && <ListSkeleton />}
      {backends.data !== undefined && <BackendsTable backends={backends.data.backends} />}
      <ProviderCosts />
      <BackendModal
        opened={adding}
        onClose={add.close}
        onSaved={({ name }) => {
          add.close();
          void navigate({ to: '/administration/backends/$name', params: { name } });
        }}
      />
    </Page>
  );
}
