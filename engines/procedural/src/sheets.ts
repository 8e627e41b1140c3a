import { createCanvas, type Canvas } from '@napi-rs/canvas';
import { clamp, css, fromRgb, mix, smoothstep, toRgb, type Colour } from './colour.ts';
import { createStack, textureStack } from './paper.ts';
import { fromCanvas, sampleField, toCanvas, type Field, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';

/** Longer side of the picture that the cuts follow, in pixels. Smaller forms are not cut. */
const PATTERN_SIDE = 320;
const SHEETS = { fewest: 6, more: 7 };

/**
 * Draws a picture as a stack of cut sheets of one colour each. The lightest sheet is at the back, and each darker sheet
 * throws a shadow.
 */
export function laySheets(picture: Raster, scene: Scene): Canvas {
  const { canvas, stack } = createStack(scene);
  const pattern = simplify(picture);
  const papers = choosePapers(pattern, SHEETS.fewest + Math.round(scene.look.detail * SHEETS.more));
  const ranks = rankPixels(pattern, papers);
  const { context } = stack;
  const drop = scene.unit * (3 + scene.look.weight * 3);
  const sheet = createCanvas(scene.width, scene.height);
  for (let level = papers.length - 1; level >= 0; level--) {
    // The sheet at the back is not cut.
    const outline = level === papers.length - 1 ? null : outlineOf(ranks, pattern, level);
    cutSheet(sheet, outline, papers[level] ?? papers[0]);
    context.save();
    context.shadowColor = css(mix(scene.palette.dark, { l: 0.05, c: 0.02, h: 280 }, 0.4), 0.36);
    context.shadowBlur = drop * 2;
    context.shadowOffsetX = (scene.sun.x < 0.5 ? 1 : -1) * drop * 0.3;
    context.shadowOffsetY = drop * 0.5;
    context.drawImage(sheet, 0, 0);
    context.restore();
  }
  textureStack(stack);
  return canvas;
}

function simplify(picture: Raster): Raster {
  const share = Math.min(1, PATTERN_SIDE / Math.max(picture.width, picture.height));
  const small = createCanvas(
    Math.max(8, Math.round(picture.width * share)),
    Math.max(8, Math.round(picture.height * share)),
  );
  const context = small.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(toCanvas(picture).canvas, 0, 0, small.width, small.height);
  const soft = createCanvas(small.width, small.height);
  const softened = soft.getContext('2d');
  softened.drawImage(small, 0, 0);
  softened.filter = 'blur(2px)';
  softened.drawImage(small, 0, 0);
  return fromCanvas(soft);
}

type Lab = [l: number, a: number, b: number];
type Papers = readonly [Colour, ...Colour[]];

const ROUNDS = 6;
/** Pixels between two samples of the pattern's colours. */
const STRIDE = 7;
/** Coloured paper is a little more vivid than the colour that it represents. */
const CHROMA = 1.18;

/** Chooses the colours that represent a picture (k-means, starting at even steps of lightness), from dark to light. */
function choosePapers({ data }: Raster, count: number): Papers {
  const samples: Lab[] = [];
  for (let index = 0; index + 2 < data.length; index += 3 * STRIDE)
    samples.push(labOf(fromRgb(data[index] ?? 0, data[index + 1] ?? 0, data[index + 2] ?? 0)));
  samples.sort(([one], [other]) => one - other);
  let centres: Lab[] = Array.from(
    { length: count },
    (_, step) => samples[Math.floor(((step + 0.5) / count) * samples.length)] ?? [0.5, 0, 0],
  );
  for (let round = 0; round < ROUNDS; round++) {
    const sums = centres.map(() => [0, 0, 0, 0] as [number, number, number, number]);
    for (const sample of samples) {
      const sum = sums[nearestOf(centres, sample)];
      if (!sum) continue;
      for (let axis = 0; axis < 3; axis++) sum[axis] = (sum[axis] ?? 0) + (sample[axis] ?? 0);
      sum[3]++;
    }
    centres = centres.map((centre, index) => {
      const [l, a, b, weight] = sums[index] ?? [0, 0, 0, 0];
      return weight === 0 ? centre : [l / weight, a / weight, b / weight];
    });
  }
  const [darkest = [0.5, 0, 0] as Lab, ...others] = centres.sort(([one], [other]) => one - other);
  return [paperOf(darkest), ...others.map(paperOf)];
}

const labOf = ({ l, c, h }: Colour): Lab => [
  l,
  c * Math.cos((h * Math.PI) / 180),
  c * Math.sin((h * Math.PI) / 180),
];

const paperOf = ([l, a, b]: Lab): Colour => ({
  l,
  c: Math.hypot(a, b) * CHROMA,
  h: (Math.atan2(b, a) * 180) / Math.PI,
});

function nearestOf(centres: readonly Lab[], [l, a, b]: Lab): number {
  let best = 0;
  let least = Infinity;
  for (const [index, [cl, ca, cb]] of centres.entries()) {
    // Hue separates things, while lightness often only shades them.
    const off = (l - cl) ** 2 + 2.2 * ((a - ca) ** 2 + (b - cb) ** 2);
    if (off >= least) continue;
    least = off;
    best = index;
  }
  return best;
}

/** Returns the paper of each pixel of the pattern. */
function rankPixels({ data }: Raster, papers: Papers): Uint8Array {
  const centres = papers.map((paper) => labOf({ ...paper, c: paper.c / CHROMA }));
  const ranks = new Uint8Array(data.length / 3);
  for (let pixel = 0; pixel < ranks.length; pixel++) {
    const index = pixel * 3;
    ranks[pixel] = nearestOf(
      centres,
      labOf(fromRgb(data[index] ?? 0, data[index + 1] ?? 0, data[index + 2] ?? 0)),
    );
  }
  return ranks;
}

/** Returns which share of each pixel's neighbourhood has this paper or a darker one. The cut is at one half. */
function outlineOf(ranks: Uint8Array, { width, height }: Raster, level: number): Field {
  const cover = Float32Array.from(ranks, (rank) => (rank <= level ? 1 : 0));
  const across = new Float32Array(cover.length);
  for (let row = 0; row < height; row++) averageLine(cover, across, row * width, width, 1);
  const data = new Float32Array(cover.length);
  for (let column = 0; column < width; column++) averageLine(across, data, column, height, width);
  return { width, height, data };
}

/** Averages five neighbours in a row. The middle ones count more. */
function averageLine(from: Float32Array, to: Float32Array, first: number, count: number, step: number): void {
  const at = (place: number) => from[first + clamp(place, 0, count - 1) * step] ?? 0;
  for (let place = 0; place < count; place++)
    to[first + place * step] =
      (at(place - 2) + 2 * at(place - 1) + 2 * at(place) + 2 * at(place + 1) + at(place + 2)) / 8;
}

function cutSheet(sheet: Canvas, outline: Field | null, paper: Colour): void {
  const context = sheet.getContext('2d');
  if (outline === null) {
    context.fillStyle = css(paper);
    context.fillRect(0, 0, sheet.width, sheet.height);
    return;
  }
  const image = context.createImageData(sheet.width, sheet.height);
  // A pixel of the sheet is a small step of the pattern. This part of the slope is the edge of one pixel.
  const edge = (0.3 * outline.width) / sheet.width;
  const [red, green, blue] = toRgb(paper);
  for (let row = 0; row < sheet.height; row++)
    cutRow(image.data, outline, (row + 0.5) / sheet.height, row * sheet.width, sheet.width, edge, [
      red * 255,
      green * 255,
      blue * 255,
    ]);
  context.putImageData(image, 0, 0);
}

function cutRow(
  out: Uint8ClampedArray,
  outline: Field,
  y: number,
  first: number,
  count: number,
  edge: number,
  rgb: readonly [number, number, number],
): void {
  for (let column = 0, index = first * 4; column < count; column++, index += 4) {
    const cover = sampleField(outline, (column + 0.5) / count, y);
    out[index] = rgb[0];
    out[index + 1] = rgb[1];
    out[index + 2] = rgb[2];
    out[index + 3] = smoothstep(0.5 - edge, 0.5 + edge, cover) * 255;
  }
}
