import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Overview } from '@renderkit/contract/console/schemas/overview.ts';
import { consoleQuery, live } from '../../api/queries.ts';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { DailyChart } from './DailyChart.tsx';
import { outcomeSeries, spendSeries } from './daily-series.ts';
import { FirstSteps } from './FirstSteps.tsx';
import { Latest } from './LatestGenerations.tsx';
import { Credit, Lanes } from './AccountSummary.tsx';
import { Warnings } from './Warnings.tsx';
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
  // The charts are drawn anew when these change.
  const spendDrawn = useMemo(() => spendSeries(spend), [spend]);
  const outcomesDrawn = useMemo(() => outcomeSeries(outcomes), [outcomes]);
  const nothing = latest.length === 0 && spend.length === 0;
  return (
    <>
      <Warnings warnings={warnings} />
      <div className={classes['standing']}>
        <Credit balance={balance} />
        <Lanes limits={limits} />
      </div>
      {nothing ? (
        <FirstSteps />
      ) : (
        <>
          <div className={classes['charts']}>
            <DailyChart title="Credits spent a day" unit="credits" days={days} series={spendDrawn} />
            <DailyChart title="Generations a day" unit="generations" days={days} series={outcomesDrawn} />
          </div>
          <Latest rows={latest} />
        </>
      )}
    </>
  );
}
