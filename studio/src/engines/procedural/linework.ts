import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import { clamp, css, lerp, mix, shade, smoothstep, toRgb, type Colour, type Rgb } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Random } from './random.ts';
import { createRaster, sampleField, toCanvas, type Field, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';
import { paintView } from './view.ts';

/** A print: a few flat inks out of register, and over them one engraved line that swells with the dark. */
export function paintLinework(scene: Scene): Canvas {
  // A face needs finer grain than a mountain, and its two flat halves.
  const close = scene.mood.places.has('person');
  const subject: Scene = close ? { ...scene, look: { ...scene.look, baseModel: 'bold' } } : scene;
  const { raster: view, skyline } = paintView(subject, close ? 460 : 300);
  const tone = toneOf(view, skyline);
  const smooth = close ? softened(tone) : softened(softened(tone));
  const print: Print = {
    scene,
    skyline,
    tone,
    smooth,
    noise: createNoise(scene.random.fork('flow')),
    random: scene.random.fork('lines'),
    inks: mixInks(scene),
  };
  const { canvas, context } = toCanvas(pressInks(print));
  engrave(context, print);
  return canvas;
}

interface Print {
  readonly scene: Scene;
  readonly skyline: Float32Array | null;
  /** Lightness of the view, stretched to 0–1 and a little softened. */
  readonly tone: Field;
  /** The same without its small folds: inks are cut along it, lines run along it. */
  readonly smooth: Field;
  readonly noise: Noise;
  readonly random: Random;
  readonly inks: Inks;
}

interface Inks {
  readonly paper: Colour;
  /** From light to dark, one set for the sky and one for what lies under it. */
  readonly sky: readonly Colour[];
  readonly land: readonly Colour[];
  readonly line: Colour;
  /** A dark sheet takes light lines. */
  readonly reversed: boolean;
}

function mixInks(scene: Scene): Inks {
  const { palette } = scene;
  const [zenith, high, low, horizon] = palette.sky;
  if (palette.exposure < 0.36) {
    const sky = [
      { ...mix(palette.glow, horizon, 0.35), l: 0.66 },
      { ...mix(horizon, palette.accent, 0.12), l: 0.46 },
      { ...low, l: 0.33 },
      { ...high, l: 0.24 },
      shade(mix(zenith, palette.dark, 0.3), 1.05),
    ];
    return {
      paper: mix(zenith, palette.dark, 0.35),
      sky,
      land: sky.map((ink) => mix(ink, { ...palette.foliage, l: ink.l * 0.9 }, 0.25)),
      line: mix(palette.disc, palette.glow, 0.25),
      reversed: true,
    };
  }
  const paper = mix(palette.paper, palette.glow, 0.18);
  const land = scene.land === 'dunes' || scene.land === 'canyon' ? palette.sand : palette.foliage;
  return {
    paper,
    sky: [paper, mix(paper, horizon, 0.7), mix(horizon, low, 0.55), low, mix(low, high, 0.7)],
    land: [
      mix(paper, palette.haze, 0.45),
      { ...mix(palette.haze, land, 0.35), l: 0.72 },
      { ...mix(land, palette.ambient, 0.35), l: 0.56 },
      { ...mix(land, palette.ambient, 0.7), l: 0.42 },
      { ...mix(palette.ambient, palette.dark, 0.5), l: 0.32 },
    ],
    line: mix(palette.ink, palette.dark, 0.4),
    reversed: false,
  };
}

const RANKS = 256;

/**
 * Lightness, evened out most of the way, sky and land each for itself: a print wants each of its inks to have
 * something to say.
 */
function toneOf(view: Raster, skyline: Float32Array | null): Field {
  const { width, height, data } = view;
  const tones = new Float32Array(width * height);
  const counts = [new Float32Array(RANKS), new Float32Array(RANKS)] as const;
  const regionOf = (pixel: number): 0 | 1 =>
    skyline !== null && Math.floor(pixel / width) > (skyline[pixel % width] ?? 1) * height ? 1 : 0;
  for (let pixel = 0, index = 0; pixel < tones.length; pixel++, index += 3) {
    const value = (data[index] ?? 0) * 0.3 + (data[index + 1] ?? 0) * 0.52 + (data[index + 2] ?? 0) * 0.18;
    tones[pixel] = value;
    const rank = Math.floor(value * (RANKS - 1));
    const count = counts[regionOf(pixel)];
    count[rank] = (count[rank] ?? 0) + 1;
  }
  const ranks = counts.map(cumulated);
  const low = tones.reduce((least, value) => Math.min(least, value), 1);
  const high = tones.reduce((most, value) => Math.max(most, value), 0);
  return {
    width,
    height,
    data: tones.map((value, pixel) => {
      const region = skyline === null ? null : regionOf(pixel);
      const rank = ranks[region ?? 0]?.[Math.floor(value * (RANKS - 1))] ?? 0;
      const even = region === 0 ? 0.2 + rank * 0.8 : region === 1 ? rank * 0.86 : rank;
      const evened = region === null ? 0.25 : 0.6;
      return (1 - evened) * clamp((value - low) / Math.max(0.05, high - low)) + evened * even;
    }),
  };
}

/** Share of all that is not lighter than each rank. */
function cumulated(counts: Float32Array): Float32Array {
  const all = Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum / all;
  });
}

/** Each tone of the view becomes one flat ink; the edges between are cut smooth at full size. */
function pressInks(print: Print): Raster {
  const { scene, inks, noise } = print;
  const { width, height } = scene;
  const sheet = createRaster(width, height);
  const skyInks = inks.sky.map(toRgb);
  const landInks = inks.land.map(toRgb);
  const paper = toRgb(inks.paper);
  const accent = toRgb(scene.palette.accent);
  const levels = skyInks.length;
  const ground = groundRows(print);
  const shift = (scene.unit * 3.5) / width;
  const pitch = Math.max(2.5, scene.unit * (scene.look.brush === 'stipple' ? 9 : 5.5));
  const worn = scene.look.brush === 'smooth' ? 0 : 0.05;
  for (let row = 0, index = 0; row < height; row++) {
    const y = (row + 0.5) / height;
    for (let column = 0; column < width; column++, index += 3) {
      const x = (column + 0.5) / width + shift;
      const dark = (1 - sampleField(print.smooth, x, y)) * levels * 0.98;
      const level = Math.min(levels - 1, Math.floor(dark));
      const rest = dark - level;
      const table = row < (ground[column] ?? 0) ? skyInks : landInks;
      const ink = table[level] ?? paper;
      const next = table[Math.min(levels - 1, level + 1)] ?? ink;
      // A narrow band of dots leads from one ink to the next, as a printer screens it.
      const step = rest > 0.78 && smoothstep(0.78, 1, rest) > screenAt(column, row, pitch) ? 1 : 0;
      for (let channel = 0; channel < 3; channel++)
        sheet.data[index + channel] = step ? (next[channel] ?? 0) : (ink[channel] ?? 0);
    }
  }
  pressSun(sheet, print, accent);
  if (worn > 0) wearPaper(sheet, noise, paper, scene, worn);
  return sheet;
}

/** The row per column where the land's inks take over; beyond the sheet where a subject fills it. */
function groundRows({ scene, skyline }: Print): Float32Array {
  const rows = new Float32Array(scene.width).fill(scene.height);
  if (skyline === null) return rows;
  return rows.map((_, column) => {
    const at = clamp((column / scene.width) * skyline.length - 0.5, 0, skyline.length - 1.001);
    const left = Math.floor(at);
    return lerp(skyline[left] ?? 1, skyline[left + 1] ?? 1, at - left) * scene.height;
  });
}

function screenAt(column: number, row: number, pitch: number): number {
  const u = (column + row) / pitch;
  const v = (column - row) / pitch;
  return 0.5 + 0.5 * Math.sin(u * Math.PI) * Math.sin(v * Math.PI);
}

function softened({ width, height, data }: Field): Field {
  const out = new Float32Array(data.length);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      let sum = 0;
      let count = 0;
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const x = column + dx;
          const y = row + dy;
          if (x < 0 || y < 0 || x >= width || y >= height) continue;
          sum += data[y * width + x] ?? 0;
          count++;
        }
      }
      out[row * width + column] = sum / count;
    }
  }
  return { width, height, data: out };
}

/** The sun or moon as one flat disc of the accent ink. */
function pressSun(sheet: Raster, { scene, skyline }: Print, accent: Rgb): void {
  const { sun } = scene;
  if (!sun.visible || skyline === null) return;
  const radius = Math.min(sheet.width, sheet.height) * (sun.radius + 0.045);
  const centreX = sun.x * sheet.width;
  const centreY = sun.y * sheet.height;
  const bottom = Math.min(sheet.height, centreY + radius);
  for (let row = Math.max(0, Math.floor(centreY - radius)); row < bottom; row++) {
    for (
      let column = Math.max(0, Math.floor(centreX - radius));
      column < Math.min(sheet.width, centreX + radius);
      column++
    ) {
      const cover = clamp(radius - Math.hypot(column + 0.5 - centreX, row + 0.5 - centreY) + 0.5);
      const ground = (skyline[Math.floor((column / sheet.width) * skyline.length)] ?? 1) * sheet.height;
      if (cover <= 0 || row > ground) continue;
      const index = (row * sheet.width + column) * 3;
      for (let channel = 0; channel < 3; channel++)
        sheet.data[index + channel] = lerp(
          sheet.data[index + channel] ?? 0,
          accent[channel] ?? 0,
          cover * 0.94,
        );
    }
  }
}

/** Ink that did not take everywhere. */
function wearPaper(sheet: Raster, noise: Noise, paper: Rgb, scene: Scene, amount: number): void {
  const cell = Math.max(1, Math.round(scene.unit * 2.4));
  for (let row = 0; row < sheet.height; row += cell) {
    for (let column = 0; column < sheet.width; column += cell) {
      const speck =
        noise.at((column / scene.unit) * 0.31, (row / scene.unit) * 0.31) +
        noise.at((column / scene.unit) * 0.05, (row / scene.unit) * 0.05) * 0.5;
      const bare = smoothstep(0.62, 0.9, speck) * 0.75 + amount;
      for (let dy = 0; dy < cell && row + dy < sheet.height; dy++) {
        for (let dx = 0; dx < cell && column + dx < sheet.width; dx++) {
          const index = ((row + dy) * sheet.width + column + dx) * 3;
          for (let channel = 0; channel < 3; channel++)
            sheet.data[index + channel] = lerp(sheet.data[index + channel] ?? 0, paper[channel] ?? 0, bare);
        }
      }
    }
  }
}

/** Evenly spaced lines along the flow; each swells where the picture is dark and lifts off where it is light. */
function engrave(context: SKRSContext2D, print: Print): void {
  const { scene, random, inks } = print;
  const { width, height, unit, look } = scene;
  const gap = Math.max(3.6 - look.detail * 1.4, unit * (13.5 - look.detail * 6.5));
  const grid = { columns: Math.ceil(width / gap) + 2, rows: Math.ceil(height / gap) + 2 };
  const taken = new Int32Array(grid.columns * grid.rows).fill(-1);
  context.fillStyle = css(inks.line, look.brush === 'knife' ? 1 : 0.92);
  const starts = Array.from({ length: grid.columns * grid.rows }, (_, index) => index);
  for (let index = starts.length - 1; index > 0; index--) {
    const other = random.int(index + 1);
    [starts[index], starts[other]] = [starts[other] ?? 0, starts[index] ?? 0];
  }
  for (const [line, cell] of starts.entries()) {
    if ((taken[cell] ?? 0) >= 0) continue;
    const x = ((cell % grid.columns) - 0.5) * gap + random.next() * gap;
    const y = (Math.floor(cell / grid.columns) - 0.5) * gap + random.next() * gap;
    const path = [
      ...follow(print, x, y, -1, gap, taken, grid.columns, line).toReversed(),
      { x, y },
      ...follow(print, x, y, 1, gap, taken, grid.columns, line),
    ];
    if (path.length > 5) drawSwelling(context, print, path, gap);
  }
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

function follow(
  print: Print,
  x: number,
  y: number,
  way: number,
  gap: number,
  taken: Int32Array,
  columns: number,
  line: number,
): Spot[] {
  const { width, height } = print.scene;
  const step = gap * 0.42;
  const path: Spot[] = [];
  const limit = 110;
  for (let count = 0; count < limit; count++) {
    const angle = flowAt(print, x / width, y / height);
    x += Math.cos(angle) * step * way;
    y += Math.sin(angle) * step * way;
    if (x < -gap || y < -gap || x > width + gap * 0.9 || y > height + gap * 0.9) break;
    const cell = (Math.floor(y / gap) + 1) * columns + Math.floor(x / gap) + 1;
    const owner = taken[cell] ?? -1;
    if (owner >= 0 && owner !== line) break;
    taken[cell] = line;
    path.push({ x, y });
  }
  return path;
}

/** Round the sun in the sky, along the slopes on land, level on water. */
function flowAt({ scene, smooth, noise, skyline }: Print, x: number, y: number): number {
  const { sun, aspect, horizon, mood } = scene;
  const portrait = mood.places.has('person') || mood.places.has('abstract') || mood.places.has('space');
  const wave = noise.fbm(x * aspect * 1.7, y * 1.7, 2) * (1.5 + mood.energy * 0.8);
  const reach = 2.2 / smooth.width;
  const slopeX = sampleField(smooth, x + reach, y) - sampleField(smooth, x - reach, y);
  const slopeY = sampleField(smooth, x, y + reach) - sampleField(smooth, x, y - reach);
  const steep = smoothstep(0.04, 0.24, Math.sqrt(slopeX * slopeX + slopeY * slopeY));
  let vx = Math.cos(wave);
  let vy = Math.sin(wave);
  const ground = skyline?.[Math.floor(clamp(x, 0, 0.999) * skyline.length)] ?? horizon;
  if (!portrait && y < ground) {
    const dx = (x - sun.x) * aspect;
    const dy = y - sun.y;
    const round = Math.exp(-(dx * dx + dy * dy) * 7);
    const length = Math.sqrt(dx * dx + dy * dy) + 1e-4;
    vx = lerp(vx, -dy / length, round);
    vy = lerp(vy, dx / length, round);
  } else if (!portrait && y > horizon && scene.water !== 'none') {
    vy = Math.sin(noise.at(x * aspect * 4, y * 9) * 0.5) * 0.5;
    vx = 1;
  }
  // Along an edge, whichever way the flow already runs.
  const along =
    (-slopeY * vx + slopeX * vy < 0 ? -1 : 1) / (Math.sqrt(slopeX * slopeX + slopeY * slopeY) + 1e-5);
  vx = lerp(vx, -slopeY * along, steep * 0.85);
  vy = lerp(vy, slopeX * along, steep * 0.85);
  return Math.atan2(vy, vx);
}

function drawSwelling(context: SKRSContext2D, print: Print, path: readonly Spot[], gap: number): void {
  const { scene, tone, inks } = print;
  const { width, height, look } = scene;
  const thick = gap * 0.46 * (0.55 + look.weight * 0.45);
  const widths = path.map(({ x, y }, index) => {
    const light = sampleField(tone, x / width, y / height);
    const dark = inks.reversed ? light : 1 - light;
    // A graver starts and lifts gently, a knife does neither.
    const taper = look.brush === 'knife' ? 1 : Math.min(1, (index + 1) / 5, (path.length - index) / 5);
    return thick * taper * smoothstep(0.12, 0.95, dark) + (dark > 0.08 ? 0.12 * taper : 0);
  });
  context.beginPath();
  if (look.brush === 'stipple') {
    for (let index = 0; index < path.length; index += 2) {
      const { x = 0, y = 0 } = path[index] ?? {};
      const radius = (widths[index] ?? 0) * 0.95;
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, Math.PI * 2);
    }
    context.fill();
    return;
  }
  const every = look.brush === 'knife' ? 3 : 1;
  for (const side of [1, -1]) {
    for (let step = 0; step < path.length; step += every) {
      const index = side > 0 ? step : path.length - 1 - step;
      const here = path[index];
      const before = path[Math.max(0, index - 1)];
      const after = path[Math.min(path.length - 1, index + 1)];
      if (!here || !before || !after) continue;
      const dx = after.x - before.x;
      const dy = after.y - before.y;
      const length = Math.sqrt(dx * dx + dy * dy) + 1e-4;
      const half = (widths[index] ?? 0) * side;
      context.lineTo(here.x - (dy / length) * half, here.y + (dx / length) * half);
    }
  }
  context.closePath();
  context.fill();
}
