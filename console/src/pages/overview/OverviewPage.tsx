import { Group, SegmentedControl } from '@mantine/core';
import type { Overview } from '@renderkit/contract/console/schemas/overview.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { consoleQuery, live } from '../../api/queries.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { DailyChart } from './DailyChart.tsx';
import { AccountSummary } from './AccountSummary.tsx';
import { LatestGenerations } from './LatestGenerations.tsx';
import { Warnings } from './Warnings.tsx';
import { outcomeSeries, spendSeries } from './daily-series.ts';
import classes from './overview.module.css';

const route = getRouteApi('/signed-in/');

export function OverviewPage() {
  const { days = 30 } = route.useSearch();
  const navigate = route.useNavigate();
  const overview = useQuery({
    ...consoleQuery('getOverview', { query: { days } }),
    refetchInterval: live,
  });
  return (
    <Page
      title="Overview"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Days shown"
          value={String(days)}
          onChange={(value) =>
            void navigate({ search: value === '7' ? { days: 7 } : value === '90' ? { days: 90 } : {} })
          }
          data={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
        />
      }
    >
      {overview.error !== null && (
        <ProblemAlert error={overview.error} title="The overview could not be read" />
      )}
      {overview.isPending && <ListSkeleton />}
      {overview.data !== undefined && <Contents overview={overview.data} />}
    </Page>
  );
}

function Contents({ overview }: { overview: Overview }) {
  const { balance, limits, days, spend, outcomes, latest, warnings } = overview;
  // Memoized, because a new array redraws its chart.
  const spendDrawn = useMemo(() => spendSeries(spend), [spend]);
  const outcomesDrawn = useMemo(() => outcomeSeries(outcomes), [outcomes]);
  const nothing = latest.length === 0 && spend.length === 0;
  return (
    <>
      <Warnings warnings={warnings} />
      <AccountSummary balance={balance} limits={limits} />
      {nothing ? (
        <FirstSteps />
      ) : (
        <>
          <div className={classes['charts']}>
            <DailyChart title="Credits spent a day" unit="credits" days={days} series={spendDrawn} />
            <DailyChart title="Generations a day" unit="generations" days={days} series={outcomesDrawn} />
          </div>
          <LatestGenerations rows={latest} />
        </>
      )}
    </>
  );
}

/** Shown instead of the charts while there is no data. */
function FirstSteps() {
  return (
    <EmptyState
      icon="playground"
      title="Nothing was generated yet"
      action={
        <Group gap="xs" justify="center">
          <ButtonLink to="/playground">Open the playground</ButtonLink>
          <ButtonLink to="/keys" variant="default">
            Create an API key
          </ButtonLink>
        </Group>
      }
    >
      Make a first picture in the playground, or create an API key and let a program make it.
    </EmptyState>
  );
}
