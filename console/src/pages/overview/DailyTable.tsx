import { creditsText } from '../../format/numbers.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { dayName, type Series, sum } from './daily-series.ts';

type DailyTableProps = {
  label: string;
  unit: string;
  days: readonly string[];
  series: readonly Series[];
};

/** The numbers of a chart, the newest day first. */
export function DailyTable({ label, unit, days, series }: DailyTableProps) {
  const rows = days.map((day, place) => ({ day, values: series.map(({ values }) => values[place] ?? 0) }));
  return (
    <DataTable
      label={`${label}, in ${unit}`}
      rows={rows.toReversed()}
      rowKey={({ day }) => day}
      columns={[
        { title: 'Day (UTC)', cell: ({ day }) => dayName(day) },
        ...series.map(({ name }, place) => ({
          title: name,
          align: 'right' as const,
          cell: ({ values }: { values: number[] }) => creditsText(values[place] ?? 0),
        })),
        { title: 'Together', align: 'right', cell: ({ values }) => creditsText(sum(values)) },
      ]}
    />
  );
}
