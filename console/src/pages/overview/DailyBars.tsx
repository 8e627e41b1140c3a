import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { formatDay, type Series, stacked } from './daily-series.ts';

type DailyBarsProps = {
  label: string;
  days: readonly string[];
  series: readonly Series[];
  /** The day under the pointer; undefined when it leaves. */
  onPoint: (day: number | undefined) => void;
};

const height = 190;
/** 1, 2, 5, 10, 20, 50 … of the upright axis. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();

/** Stacked bars. A screen reader gets the label alone: the same numbers are beside it as text and as a table. */
export function DailyBars({ label, days, series, onPoint }: DailyBarsProps) {
  const frame = useElementSize();
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const { width } = frame;
  useEffect(() => {
    if (container.current === null || width < 40) return undefined;
    const plot = new UPlot(
      optionsOf({ width, days, series, onPoint }),
      dataOf(days, series),
      container.current,
    );
    return () => plot.destroy();
  }, [width, scheme, days, series, onPoint]);
  return (
    <div ref={frame.ref} role="img" aria-label={label} style={{ height, overflow: 'hidden' }}>
      <div ref={container} />
    </div>
  );
}

/** The highest bars come first, so that the lower ones are drawn over them. */
function dataOf(days: readonly string[], series: readonly Series[]): UPlot.AlignedData {
  return [days.map((_, day) => day), ...stacked(series).toReversed()];
}

function optionsOf({
  width,
  days,
  series,
  onPoint,
}: Omit<DailyBarsProps, 'label'> & { width: number }): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const bars = UPlot.paths.bars?.({ size: [0.72, 36], radius: 0.12 });
  const text = {
    stroke: color('--mantine-color-dimmed'),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
  };
  return {
    width,
    height,
    padding: [10, 6, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [-0.6, days.length - 0.4] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.08)] },
    },
    axes: [
      {
        ...text,
        grid: { show: false },
        ticks: { show: false },
        size: 26,
        gap: 4,
        space: 70,
        incrs: [1, 2, 7, 14, 30],
        values: (_, ticks) => ticks.map((tick) => formatDay(days[tick] ?? '')),
      },
      {
        ...text,
        size: 46,
        gap: 4,
        // Credits and counts are read in whole steps.
        incrs: wholeSteps,
        grid: { stroke: color('--mantine-color-default-border'), width: 1 },
        ticks: { show: false },
      },
    ],
    series: [
      {},
      ...series.toReversed().map((one) => ({
        label: one.name,
        fill: color(one.color),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}
