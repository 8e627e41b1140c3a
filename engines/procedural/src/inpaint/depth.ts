import type { Field } from '../raster.ts';
import type { Hole } from './hole.ts';

/** Longer side of the field, in cells. */
const CELLS = 160;

/**
 * Returns the distance from each place in a hole's bounds to the hole's rim, in pixels of the picture. The edge of the
 * picture does not count as rim.
 */
export function depthOf({ width, height, inside, bounds }: Hole): Field {
  const share = Math.min(1, CELLS / Math.max(bounds.width, bounds.height));
  const columns = Math.max(1, Math.round(bounds.width * share));
  const rows = Math.max(1, Math.round(bounds.height * share));
  const data = new Float32Array(columns * rows);
  const cell = bounds.width / columns;
  for (let row = 0, index = 0; row < rows; row++) {
    const y = Math.floor(bounds.top + ((row + 0.5) * bounds.height) / rows);
    for (let column = 0; column < columns; column++, index++) {
      const x = Math.floor(bounds.left + (column + 0.5) * cell);
      if (inside[y * width + x] === 0) continue;
      const rim =
        (column === 0 && bounds.left > 0) ||
        (row === 0 && bounds.top > 0) ||
        (column === columns - 1 && bounds.left + bounds.width < width) ||
        (row === rows - 1 && bounds.top + bounds.height < height);
      data[index] = rim ? cell / 2 : Infinity;
    }
  }
  sweep(data, columns, rows, cell, 1);
  sweep(data, columns, rows, cell, -1);
  return { width: columns, height: rows, data };
}

/** Computes one half of a chamfer distance: from the first corner, or from the last one if `step` is −1. */
function sweep(data: Float32Array, columns: number, rows: number, cell: number, step: 1 | -1): void {
  const slant = cell * Math.SQRT2;
  const at = (column: number, row: number) =>
    column < 0 || row < 0 || column >= columns || row >= rows
      ? Infinity
      : (data[row * columns + column] ?? 0);
  for (let index = step > 0 ? 0 : data.length - 1; index >= 0 && index < data.length; index += step) {
    const column = index % columns;
    const row = (index - column) / columns;
    data[index] = Math.min(
      data[index] ?? 0,
      at(column - step, row) + cell,
      at(column, row - step) + cell,
      at(column - step, row - step) + slant,
      at(column + step, row - step) + slant,
    );
  }
}
