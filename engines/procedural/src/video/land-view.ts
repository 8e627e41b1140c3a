import type { LandModel } from './land-model.ts';

/** Pixels of a frame, four bytes each; alpha is always 255. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export interface Camera {
  /** Where it stands, in the land's own measure. */
  readonly x: number;
  readonly z: number;
  /** Height above the water. */
  readonly eye: number;
  /** Row of the horizon, as a share of the frame's height. */
  readonly horizon: number;
}

/** What a frame shows where: 1 where a pixel is water that waits for its reflection. */
export type WaterMap = Uint8Array;

/** Nothing nearer to the camera is drawn. */
const NEAREST = 1.05;

interface View {
  readonly frame: Frame;
  readonly water: WaterMap;
  readonly land: LandModel;
  readonly camera: Camera;
  readonly aspect: number;
  /** How far a column is drawn, and what its topmost, partly covered row showed before. */
  column: number;
  top: number;
  joined: boolean;
  wet: boolean;
  openRow: number;
  readonly from: Float32Array;
  readonly colour: Float32Array;
  readonly behind: Float32Array;
}

/** Draws the land over what the frame shows, column by column from the camera to the horizon. */
export function viewLand(frame: Frame, water: WaterMap, land: LandModel, camera: Camera): void {
  water.fill(0);
  const view: View = {
    frame,
    water,
    land,
    camera,
    aspect: frame.width / frame.height,
    column: 0,
    top: 0,
    joined: false,
    wet: false,
    openRow: -1,
    from: new Float32Array(3),
    colour: new Float32Array(3),
    behind: new Float32Array(3),
  };
  for (let column = 0; column < frame.width; column++) viewColumn(view, column);
}

function viewColumn(view: View, column: number): void {
  const { frame, land, camera } = view;
  const { columns, steps, depths, lefts, cells, tops, wet } = land;
  const horizon = camera.horizon * frame.height;
  const across = ((column + 0.5) / frame.width - 0.5) * view.aspect;
  view.column = column;
  view.top = frame.height;
  view.joined = false;
  view.openRow = -1;
  for (let step = 0; step < steps; step++) {
    const away = (depths[step] ?? 0) - camera.z;
    if (away < NEAREST) continue;
    const place = (camera.x + across * away - (lefts[step] ?? 0)) / (cells[step] ?? 1);
    const left = place < 0 ? 0 : place > columns - 2 ? columns - 2 : place | 0;
    const share = place - left;
    const index = left * steps + step;
    const topLeft = tops[index] ?? 0;
    const height = topLeft + ((tops[index + steps] ?? 0) - topLeft) * share;
    const y = horizon + ((camera.eye - height) / away) * frame.height;
    if (y >= view.top) {
      view.joined = false;
      continue;
    }
    takeColour(view, index, share);
    fillRun(view, y, (wet[share < 0.5 ? index : index + steps] ?? 0) === 1);
    view.top = y;
    if (y <= 0) break;
  }
}

function takeColour({ land, colour }: View, index: number, share: number): void {
  const { colours, steps } = land;
  const at = index * 3;
  const next = at + steps * 3;
  const red = colours[at] ?? 0;
  const green = colours[at + 1] ?? 0;
  const blue = colours[at + 2] ?? 0;
  colour[0] = red + ((colours[next] ?? 0) - red) * share;
  colour[1] = green + ((colours[next + 1] ?? 0) - green) * share;
  colour[2] = blue + ((colours[next + 2] ?? 0) - blue) * share;
}

/** Fills upwards to `y`. A row that the surface covers in part keeps the rest for what stands behind it. */
function fillRun(view: View, y: number, wet: boolean): void {
  const { frame, water, from, colour, top } = view;
  const { width, height, data } = frame;
  const blended = view.joined && view.wet === wet;
  const pace = blended ? 1 / Math.max(1, top - y) : 0;
  const toRed = colour[0] ?? 0;
  const toGreen = colour[1] ?? 0;
  const toBlue = colour[2] ?? 0;
  const red = blended ? (from[0] ?? 0) : toRed;
  const green = blended ? (from[1] ?? 0) : toGreen;
  const blue = blended ? (from[2] ?? 0) : toBlue;
  const last = Math.min(height, Math.ceil(top)) - 1;
  const first = Math.max(0, Math.floor(y));
  for (let row = last, pixel = last * width + view.column; row >= first; row--, pixel -= width) {
    const away = (top - row - 0.5) * pace;
    const t = away < 0 ? 0 : away > 1 ? 1 : away;
    const index = pixel * 4;
    const coverage = (row + 1 < top ? row + 1 : top) - (row > y ? row : y);
    // Far away many surfaces share a row: it belongs to the one in its middle.
    if (row + 0.5 >= y && row + 0.5 < top) water[pixel] = wet ? 1 : 0;
    if (coverage >= 1) {
      data[index] = red + (toRed - red) * t;
      data[index + 1] = green + (toGreen - green) * t;
      data[index + 2] = blue + (toBlue - blue) * t;
    } else
      fillPart(
        view,
        row,
        index,
        coverage,
        red + (toRed - red) * t,
        green + (toGreen - green) * t,
        blue + (toBlue - blue) * t,
      );
  }
  from[0] = toRed;
  from[1] = toGreen;
  from[2] = toBlue;
  view.joined = true;
  view.wet = wet;
}

function fillPart(
  view: View,
  row: number,
  index: number,
  coverage: number,
  red: number,
  green: number,
  blue: number,
): void {
  const { behind } = view;
  const { data } = view.frame;
  if (row !== view.openRow) {
    view.openRow = row;
    behind[0] = data[index] ?? 0;
    behind[1] = data[index + 1] ?? 0;
    behind[2] = data[index + 2] ?? 0;
  }
  data[index] = (data[index] ?? 0) + (red - (behind[0] ?? 0)) * coverage;
  data[index + 1] = (data[index + 1] ?? 0) + (green - (behind[1] ?? 0)) * coverage;
  data[index + 2] = (data[index + 2] ?? 0) + (blue - (behind[2] ?? 0)) * coverage;
}
