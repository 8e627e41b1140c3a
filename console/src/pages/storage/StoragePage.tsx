import { Text } from '@mantine/core';
import type { UploadRow } from '@renderkit/contract/console/schemas/storage.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { consoleQuery, live } from '../../api/queries.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { DeleteUpload } from './DeleteUpload.tsx';
import { StorageMeter } from './StorageMeter.tsx';
import { UploadsTable } from './UploadsTable.tsx';

const route = getRouteApi('/signed-in/storage');
/** Used while no upload is being checked or in use. */
const slowRefetchMs = 10_000;

/** The page with the account's storage and its uploads. */
export function StoragePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [deleting, setDeleting] = useState<UploadRow>();
  const storage = useQuery({ ...consoleQuery('getStorageDetail', {}), refetchInterval: slowRefetchMs });
  const uploads = useQuery({
    ...consoleQuery('listUploadRows', { query: search }),
    refetchInterval: (query) => {
      const changing = query.state.data?.data.some(
        ({ upload, kept_until }) => upload.status === 'processing' || kept_until === null,
      );
      return changing === true || query.state.status === 'error' ? live(query) : slowRefetchMs;
    },
  });
  const list = uploads.data;
  return (
    <Page
      title="Storage"
      description="What your account stores: the files that you sent, and everything that was generated."
    >
      {storage.error !== null && <ProblemAlert error={storage.error} title="The storage could not be read" />}
      {storage.isPending && <ListSkeleton rows={2} />}
      {storage.data !== undefined && <StorageMeter detail={storage.data} />}
      <Section title="Uploads" card={false}>
        <Text c="dimmed" fz="sm" mb="sm" maw="76ch">
          A file that no generation names goes by itself 30 days after it came or was last used. Pictures and
          videos that were generated stay until you delete them in the{' '}
          <TextLink to="/library" underline="always">
            library
          </TextLink>
          .
        </Text>
        {uploads.error !== null && (
          <ProblemAlert error={uploads.error} title="The uploads could not be read" />
        )}
        {uploads.isPending && <ListSkeleton />}
        {list?.data.length === 0 && (list.page === 1 ? <None /> : <NothingHere />)}
        {list !== undefined && list.data.length > 0 && (
          <UploadsTable
            rows={list.data}
            stale={uploads.isPlaceholderData}
            onDelete={setDeleting}
            footer={
              <Pager
                page={list.page}
                hasMore={list.has_more}
                onPage={(page) => void navigate({ search: page === 1 ? {} : { page } })}
              />
            }
          />
        )}
      </Section>
      <DeleteUpload row={deleting} onClose={() => setDeleting(undefined)} />
    </Page>
  );
}

function None() {
  return (
    <EmptyState
      icon="upload"
      title="No uploads"
      action={
        <ButtonLink to="/playground" leftSection={<Icon name="playground" size={14} />}>
          Open the playground
        </ButtonLink>
      }
    >
      Files that you send in the playground, or that your programs send through the API, are listed here.
    </EmptyState>
  );
}

function NothingHere() {
  return (
    <EmptyState
      icon="upload"
      title="Nothing on this page any more"
      action={<ButtonLink to="/storage">Show the newest</ButtonLink>}
    >
      What was listed here was deleted, or moved up.
    </EmptyState>
  );
}
