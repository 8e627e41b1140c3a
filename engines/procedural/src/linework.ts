import type { Canvas } from '@napi-rs/canvas';
import { clamp, lerp, smoothstep, toRgb, type Rgb } from './colour.ts';
import { engrave } from './engraving.ts';
import { createNoise, type Noise } from './noise.ts';
import { mixInks, type Print } from './print.ts';
import { createRaster, sampleField, toCanvas, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';
import { softened, toneOf } from './tone.ts';
import { paintView, type View } from './view.ts';

/**
 * Paints a print: a few flat inks out of register, and over them engraved lines that are thicker where the picture is
 * dark.
 */
export function paintLinework(scene: Scene): Canvas {
  // A face needs finer grain than a mountain. It also needs its two flat halves.
  const close = scene.mood.places.has('person');
  const subject: Scene = close ? { ...scene, look: { ...scene.look, baseModel: 'bold' } } : scene;
  return printView(paintView(subject, close ? CLOSE_VIEW_SIDE : 300), scene, close);
}

/** Longer side of a view with a face, in pixels. */
export const CLOSE_VIEW_SIDE = 460;

/** Prints a small view at the full size of the scene. `close` keeps the forms of a face. */
export function printView({ raster: view, skyline }: View, scene: Scene, close: boolean): Canvas {
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
  scene.show?.(0.5, canvas);
  engrave(context, print);
  return canvas;
}

/** Turns each tone of the view into one flat ink. The edges between inks are smooth at full size. */
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
      // A narrow band of dots connects one ink with the next, like a printer's screen.
      const step = rest > 0.78 && smoothstep(0.78, 1, rest) > screenAt(column, row, pitch) ? 1 : 0;
      for (let channel = 0; channel < 3; channel++)
        sheet.data[index + channel] = step ? (next[channel] ?? 0) : (ink[channel] ?? 0);
    }
  }
  pressSun(sheet, print, accent);
  if (worn > 0) wearPaper(sheet, noise, paper, scene, worn);
  return sheet;
}

/**
 * Returns the row per column where the land's inks begin. The row is below the picture if a subject fills the picture.
 */
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

/** Prints the sun or moon as a flat disc in the accent ink. */
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

/** Removes ink in some places, as if the paper had not taken it. */
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
