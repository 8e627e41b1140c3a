import { useElementSize } from '@mantine/hooks';
import type { PointerEvent } from 'react';
import { dayTicks, valueTicks } from './chart-axes.ts';
import { formatDay, type Series, stacked } from './daily-series.ts';
import classes from './daily-bars.module.css';

type DailyBarsProps = {
  label: string;
  days: readonly string[];
  series: readonly Series[];
  /** Called with the index of the day under the pointer, or `undefined` when the pointer leaves. */
  onPoint: (day: number | undefined) => void;
};

// In pixels.
const height = 190;
const edge = { top: 10, right: 6, bottom: 26, left: 46 };
const maxBarWidth = 36;
/** The least distance between two day labels. */
const dayRoom = 70;
/** The most lines above zero. */
const maxLines = 4;
/** Width of a bar, as a part of the day's width. */
const barShare = 0.72;

/**
 * Stacked bars. A screen reader gets only the label, because the same numbers are also available as text and as a
 * table.
 */
export function DailyBars({ label, days, series, onPoint }: DailyBarsProps) {
  const { ref, width } = useElementSize();
  const inner = width - edge.left - edge.right;
  const room = inner / days.length;
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const day = Math.floor(
      (event.clientX - event.currentTarget.getBoundingClientRect().left - edge.left) / room,
    );
    onPoint(day >= 0 && day < days.length ? day : undefined);
  };
  return (
    <div ref={ref} role="img" aria-label={label} className={classes['frame']} style={{ height }}>
      {inner > 0 && (
        <svg
          {...{ width, height }}
          className={classes['chart']}
          onPointerMove={point}
          onPointerLeave={() => onPoint(undefined)}
        >
          <Drawing {...{ days, series, inner, room }} />
        </svg>
      )}
    </div>
  );
}

type DrawingProps = Pick<DailyBarsProps, 'days' | 'series'> & { inner: number; room: number };

function Drawing({ days, series, inner, room }: DrawingProps) {
  const tops = stacked(series);
  const max = Math.max(1, ...(tops.at(-1) ?? []));
  const deep = height - edge.top - edge.bottom;
  const y = (value: number) => edge.top + deep * (1 - value / (max * 1.05));
  const middle = (day: number) => edge.left + room * (day + 0.5);
  const bar = Math.max(1, Math.min(maxBarWidth, room * barShare));
  return (
    <>
      {valueTicks(max, maxLines).map((value) => (
        <g key={value}>
          <line
            className={classes['line']}
            x1={edge.left}
            x2={edge.left + inner}
            y1={y(value)}
            y2={y(value)}
          />
          <text className={classes['value']} x={edge.left - 8} y={y(value)}>
            {value}
          </text>
        </g>
      ))}
      {dayTicks(days.length, Math.max(1, Math.floor(inner / dayRoom))).map((day) => (
        <text
          key={day}
          className={classes['day']}
          x={Math.min(middle(day), edge.left + inner - 14)}
          y={height - 8}
        >
          {formatDay(days[day] ?? '')}
        </text>
      ))}
      {series.flatMap((one, at) =>
        days.map((day, index) => {
          const top = y(tops[at]?.[index] ?? 0);
          const tall = y(tops[at - 1]?.[index] ?? 0) - top;
          return tall <= 0 ? null : (
            <rect
              key={`${one.name} ${day}`}
              style={{ fill: `var(${one.color})` }}
              x={middle(index) - bar / 2}
              y={top}
              width={bar}
              height={tall}
            />
          );
        }),
      )}
    </>
  );
}
