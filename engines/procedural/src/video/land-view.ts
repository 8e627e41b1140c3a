import type { LandModel } from './land-model.ts';

/** Pixels of a frame, four bytes each; alpha is always 255. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export interface Camera {
  /** Position of the camera, in units of the land. */
  readonly x: number;
  readonly z: number;
  /** Height above the water. */
  readonly eye: number;
  /** Row of the horizon, as a share of the frame's height. */
  readonly horizon: number;
}

/** One byte per pixel of a frame: 1 for a pixel of water that needs its reflection. */
export type WaterMap = Uint8Array;

/** Land nearer to the camera is not drawn. */
const NEAREST = 1.05;

/** Draws the land over the frame, column by column from the camera to the horizon. */
export function viewLand(frame: Frame, water: WaterMap, land: LandModel, camera: Camera): void {
  water.fill(0);
  const steps = stepsOf(land, camera, frame.height);
  const runs = createRuns(land.steps);
  for (let column = 0; column < frame.width; column++) {
    findRuns(frame, land, camera, steps, column, runs);
    fillRuns(frame, water, column, runs);
  }
}

interface Steps {
  /** The first step that is not too near. */
  readonly first: number;
  /** Per step, the land's column in the middle of the frame, and the number of columns per unit across. */
  readonly places: Float64Array;
  readonly spreads: Float64Array;
  /** Per step, the number of rows per unit of height. */
  readonly rises: Float64Array;
}

/** Computes what is equal for all columns of a frame. */
function stepsOf({ steps, depths, lefts, cells }: LandModel, camera: Camera, height: number): Steps {
  const places = new Float64Array(steps);
  const spreads = new Float64Array(steps);
  const rises = new Float64Array(steps);
  let first = steps;
  for (let step = steps - 1; step >= 0; step--) {
    const away = (depths[step] ?? 0) - camera.z;
    if (away < NEAREST) break;
    const cell = cells[step] ?? 1;
    places[step] = (camera.x - (lefts[step] ?? 0)) / cell;
    spreads[step] = away / cell;
    rises[step] = height / away;
    first = step;
  }
  return { first, places, spreads, rises };
}

/**
 * The visible surfaces of a column, from near to far. Each reaches from the top of the surface before it to its own
 * top.
 */
interface Runs {
  count: number;
  readonly tops: Float64Array;
  readonly colours: Float64Array;
  readonly wet: Uint8Array;
  /** 1 if the surface touches the one before and is of the same kind: then their colours blend. */
  readonly joined: Uint8Array;
}

const createRuns = (steps: number): Runs => ({
  count: 0,
  tops: new Float64Array(steps),
  colours: new Float64Array(steps * 3),
  wet: new Uint8Array(steps),
  joined: new Uint8Array(steps),
});

function findRuns(
  { width, height }: Frame,
  { columns, steps, tops, wet, colours }: LandModel,
  { horizon, eye }: Camera,
  { first, places, spreads, rises }: Steps,
  column: number,
  runs: Runs,
): void {
  const { tops: ends, colours: seen, wet: ofWater, joined } = runs;
  const level = horizon * height;
  const across = ((column + 0.5) / width - 0.5) * (width / height);
  let top = height;
  let count = 0;
  let touches = false;
  let before = 0;
  for (let step = first; step < steps && top > 0; step++) {
    const place = (places[step] ?? 0) + across * (spreads[step] ?? 0);
    const left = place < 0 ? 0 : place > columns - 2 ? columns - 2 : place | 0;
    const share = place - left;
    const index = left * steps + step;
    const topLeft = tops[index] ?? 0;
    const ground = topLeft + ((tops[index + steps] ?? 0) - topLeft) * share;
    const y = level + (eye - ground) * (rises[step] ?? 0);
    if (y >= top) {
      touches = false;
      continue;
    }
    const from = index * 3;
    const next = from + steps * 3;
    const red = colours[from] ?? 0;
    const green = colours[from + 1] ?? 0;
    const blue = colours[from + 2] ?? 0;
    seen[count * 3] = red + ((colours[next] ?? 0) - red) * share;
    seen[count * 3 + 1] = green + ((colours[next + 1] ?? 0) - green) * share;
    seen[count * 3 + 2] = blue + ((colours[next + 2] ?? 0) - blue) * share;
    const isWet = wet[share < 0.5 ? index : index + steps] ?? 0;
    ofWater[count] = isWet;
    joined[count] = touches && isWet === before ? 1 : 0;
    ends[count] = y;
    before = isWet;
    touches = true;
    top = y;
    count++;
  }
  runs.count = count;
}

/**
 * Fills a column. A row that is partly covered keeps the rest for the land behind; it is mixed separately and rounded
 * once.
 */
function fillRuns({ width, height, data }: Frame, water: WaterMap, column: number, runs: Runs): void {
  const { count, tops, colours, wet, joined } = runs;
  let top = height;
  // The topmost, partly covered row: its place, what it showed before, and its current colour.
  let open = -1;
  let openRed = 0;
  let openGreen = 0;
  let openBlue = 0;
  let mixedRed = 0;
  let mixedGreen = 0;
  let mixedBlue = 0;
  for (let run = 0; run < count; run++) {
    const y = tops[run] ?? 0;
    const at = run * 3;
    const from = joined[run] === 1 ? at - 3 : at;
    const pace = 1 / Math.max(1, top - y);
    const red = colours[from] ?? 0;
    const green = colours[from + 1] ?? 0;
    const blue = colours[from + 2] ?? 0;
    const moreRed = (colours[at] ?? 0) - red;
    const moreGreen = (colours[at + 1] ?? 0) - green;
    const moreBlue = (colours[at + 2] ?? 0) - blue;
    const first = y > 0 ? y | 0 : 0;
    for (let row = Math.ceil(top) - 1; row >= first; row--) {
      const gone = (top - row - 0.5) * pace;
      const t = gone < 0 ? 0 : gone > 1 ? 1 : gone;
      const pixel = row * width + column;
      const to = pixel * 4;
      const coverage = (row + 1 < top ? row + 1 : top) - (row > y ? row : y);
      // Far away, many surfaces share a row. The surface at the middle of the row decides whether it is water.
      if (row + 0.5 >= y && row + 0.5 < top) water[pixel] = wet[run] ?? 0;
      if (coverage >= 1) {
        writePixel(data, to, red + moreRed * t, green + moreGreen * t, blue + moreBlue * t);
        continue;
      }
      if (to !== open) {
        if (open >= 0) writePixel(data, open, mixedRed, mixedGreen, mixedBlue);
        open = to;
        openRed = mixedRed = data[to] ?? 0;
        openGreen = mixedGreen = data[to + 1] ?? 0;
        openBlue = mixedBlue = data[to + 2] ?? 0;
      }
      mixedRed += (red + moreRed * t - openRed) * coverage;
      mixedGreen += (green + moreGreen * t - openGreen) * coverage;
      mixedBlue += (blue + moreBlue * t - openBlue) * coverage;
    }
    top = y;
  }
  if (open >= 0) writePixel(data, open, mixedRed, mixedGreen, mixedBlue);
}

function writePixel(data: Uint8ClampedArray, to: number, red: number, green: number, blue: number): void {
  data[to] = red;
  data[to + 1] = green;
  data[to + 2] = blue;
}
