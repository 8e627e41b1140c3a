import { Text } from '@mantine/core';
import { useState } from 'react';
import { formatCredits } from '../../format/numbers.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Section } from '../../ui/Section.tsx';
import { DailyBars } from './DailyBars.tsx';
import { formatDay, type Series, sum } from './daily-series.ts';
import classes from './overview.module.css';

type DailyChartProps = {
  title: string;
  unit: string;
  /** UTC days, oldest first. */
  days: readonly string[];
  series: readonly Series[];
};

/** A bar for each day, a legend with the numbers, and the same numbers as a table. */
export function DailyChart({ title, unit, days, series }: DailyChartProps) {
  const [pointed, setPointed] = useState<number>();
  const day = pointed === undefined ? undefined : days[pointed];
  const amount = ({ values }: Series) => (pointed === undefined ? sum(values) : (values[pointed] ?? 0));
  return (
    <Section title={title}>
      <div className={classes['legend']}>
        <Text fz="xs" c="dimmed">
          {day === undefined ? 'Together' : `${formatDay(day)}, UTC`}
        </Text>
        {series.map((one) => (
          <span key={one.name} className={classes['mark']}>
            <span className={classes['swatch']} style={{ background: `var(${one.color})` }} />
            <span className={classes['name']}>{one.name}</span>
            <strong>{formatCredits(amount(one))}</strong>
          </span>
        ))}
      </div>
      {series.length === 0 ? (
        <Text fz="sm" c="dimmed" py="xl" ta="center">
          Nothing in these days.
        </Text>
      ) : (
        <DailyBars label={`${title}, as bars`} days={days} series={series} onPoint={setPointed} />
      )}
      <details className={classes['details']}>
        <summary>Show as a table</summary>
        <DailyTable label={title} unit={unit} days={days} series={series} />
      </details>
    </Section>
  );
}

type DailyTableProps = {
  label: string;
  unit: string;
  days: readonly string[];
  series: readonly Series[];
};

/** The numbers of the chart, newest day first. */
function DailyTable({ label, unit, days, series }: DailyTableProps) {
  const rows = days.map((day, index) => ({ day, values: series.map(({ values }) => values[index] ?? 0) }));
  return (
    <DataTable
      label={`${label}, in ${unit}`}
      rows={rows.toReversed()}
      rowKey={({ day }) => day}
      columns={[
        { title: 'Day (UTC)', cell: ({ day }) => formatDay(day) },
        ...series.map(({ name }, index) => ({
          title: name,
          align: 'right' as const,
          cell: ({ values }: { values: number[] }) => formatCredits(values[index] ?? 0),
        })),
        { title: 'Together', align: 'right', cell: ({ values }) => formatCredits(sum(values)) },
      ]}
    />
  );
}
