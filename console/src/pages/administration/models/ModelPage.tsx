import { Text } from '@mantine/core';
import type { ManagedModelDetail } from '@renderkit/contract/studio/administration/models.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { consoleQuery, live } from '../../../api/queries.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DescriptionList } from '../../../ui/DescriptionList.tsx';
import { FileDrop } from '../../../ui/FileDrop.tsx';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Page } from '../../../ui/Page.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { Section } from '../../../ui/Section.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { FitBadge } from '../FitBadge.tsx';
import { ImportModal } from './ImportModal.tsx';
import { ModelActions } from './ModelActions.tsx';
import { ModelState } from './ModelState.tsx';
import { ModelVersionView } from './ModelVersionView.tsx';
import { Thumbnail } from './ModelsTable.tsx';
import { priceText, suitesText } from './model-texts.ts';
import classes from './models.module.css';
import { VersionsTable } from './VersionsTable.tsx';

const route = getRouteApi('/signed-in/administration/models/$id');

/** One model: whether it is offered, its versions, and where it can be made. */
export function ModelPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const [file, setFile] = useState<File>();
  const { data: model, ...query } = useQuery({
    ...consoleQuery('getManagedModel', { params: { id } }),
    refetchInterval: live,
  });
  return (
    <Page
      title={model?.name ?? id}
      parent={{ title: 'Models', to: '/administration/models' }}
      description={id}
      actions={model && <ModelActions model={model} onFile={setFile} />}
    >
      {query.error !== null && <ProblemAlert error={query.error} title="The model could not be read" />}
      {query.isPending && <ListSkeleton />}
      {model !== undefined && <Shown key={model.id} model={model} wanted={search.version} />}
      <FileDrop label="Let go to import it as the next version" onFile={setFile} />
      <ImportModal file={file} id={id} onClose={() => setFile(undefined)} />
    </Page>
  );
}

/**
 * Shows the version that the address names, or the newest when the page was opened. The shown version does not change
 * when others add one, because the person may be editing it.
 */
function Shown({ model, wanted }: { model: ManagedModelDetail; wanted: number | undefined }) {
  const newest = model.draft_version ?? model.version;
  const [first] = useState(newest);
  const version = wanted ?? first;
  return (
    <>
      <Summary model={model} />
      {wanted === undefined && newest > version && (
        <Notice tone="warning">
          There is a newer version by now:{' '}
          <TextLink
            to="/administration/models/$id"
            params={{ id: model.id }}
            search={{ version: newest }}
            underline="always"
          >
            show version {newest}
          </TextLink>
          . What you have not saved here goes with that.
        </Notice>
      )}
      <ModelVersionView key={version} model={model} version={version} />
      <Fits fits={model.fits} />
      <VersionsTable model={model} shown={version} />
    </>
  );
}

function Summary({ model }: { model: ManagedModelDetail }) {
  const { published_version: published, fits_on: backends } = model;
  return (
    <Section title="Model">
      <div className={classes['summary']}>
        {model.thumbnail !== null && <Thumbnail url={model.thumbnail} size="large" />}
        <DescriptionList
          items={[
            ['State', <ModelState key="state" model={model} />],
            ['Makes', suitesText(model.suites)],
            ['Price', priceText(model.price)],
            ['On offer', published === null ? 'Nothing yet' : `Version ${published}`],
            ['Fits on', backends.length === 0 ? 'No backend' : backends.join(', ')],
          ]}
        />
      </div>
    </Section>
  );
}

type Fit = ManagedModelDetail['fits'][number];

/** Shows which backends can make the model, and why others cannot. */
function Fits({ fits }: { fits: readonly Fit[] }) {
  return (
    <Section title="Where it fits" card={false}>
      {fits.length === 0 ? (
        <Text fz="sm" c="dimmed">
          It has no route that a backend could take.
        </Text>
      ) : (
        <DataTable
          label="Where it fits"
          rows={fits}
          rowKey={({ route: name, backend }) => `${name} ${backend ?? ''}`}
          columns={fitColumns}
        />
      )}
    </Section>
  );
}

const fitColumns: Column<Fit>[] = [
  {
    title: 'Backend',
    cell: ({ backend }) =>
      backend === null ? (
        'None of the name'
      ) : (
        <TextLink to="/administration/backends/$name" params={{ name: backend }}>
          {backend}
        </TextLink>
      ),
  },
  { title: 'Route', cell: ({ route: name }) => name },
  {
    title: 'Fits',
    cell: ({ fits, problems, warnings = [] }) => (
      <FitBadge fits={fits} problems={[...problems, ...warnings.map((message) => ({ message }))]} />
    ),
  },
];
