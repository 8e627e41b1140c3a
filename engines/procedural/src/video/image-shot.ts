import { createCanvas } from '@napi-rs/canvas';
import { smoothstep } from '../colour.ts';
import type { Bitmap } from '../encode.ts';
import { createNoise, type Noise } from '../noise.ts';
import type { Scene } from '../scene.ts';
import { glide, type PlainShot } from './shot.ts';
import { createMovingWeather } from './moving-weather.ts';

/** How far the camera moves in, as a share of the frame. */
const ZOOM = 0.13;
/** Rows and columns of pixels between two places where the swaying is computed. */
const CELL = 8;

interface Warp {
  readonly image: Bitmap;
  readonly noise: Noise;
  readonly columns: number;
  readonly swayX: Float32Array;
  readonly swayY: Float32Array;
}

/**
 * Animates an image of the scene's size. The first moment shows the exact image. Then the camera moves in: low parts
 * pass faster than high parts, everything sways a little, and the weather of the words begins.
 */
export function createImageShot(scene: Scene, seconds: number, image: Bitmap): PlainShot {
  const { width, height } = scene;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(width, height);
  const columns = Math.ceil(width / CELL) + 2;
  const cells = columns * (Math.ceil(height / CELL) + 2);
  const warp: Warp = {
    image,
    noise: createNoise(scene.random.fork('sway')),
    columns,
    swayX: new Float32Array(cells),
    swayY: new Float32Array(cells),
  };
  const random = scene.random.fork('journey');
  const pan = random.range(0.35, 0.8) * (random.chance(0.5) ? 1 : -1);
  const focus = { x: 0.5 + (scene.focus - 0.5) * 0.5, y: 0.46 };
  const weather = createMovingWeather(scene);
  pixels.data.fill(255);
  return (now) => {
    const way = glide(now / seconds);
    const alive = smoothstep(0, 0.35, now / seconds);
    sway(warp, now, alive * Math.min(width, height) * 0.006);
    const zoom = 1 / (1 + ZOOM * Math.min(1, seconds / 5) * way);
    for (let row = 0; row < height; row++) {
      // Zooming creates a margin, and the camera moves inside this margin.
      const low = row / height;
      const left = (1 - zoom) * width * (focus.x + pan * 0.5 * (0.25 + 0.75 * low));
      const top = (1 - zoom) * height * focus.y;
      warpRow(warp, pixels.data, row, zoom, Math.min(left, (1 - zoom) * width), top);
    }
    context.putImageData(pixels, 0, 0);
    weather(context, now, alive);
    return canvas;
  };
}

function sway({ noise, columns, swayX, swayY }: Warp, seconds: number, reach: number): void {
  for (let index = 0; index < swayX.length; index++) {
    const x = (index % columns) / 13;
    const y = Math.floor(index / columns) / 13;
    swayX[index] = noise.at(x + seconds * 0.13, y - seconds * 0.21) * reach;
    swayY[index] = noise.at(x + 40 - seconds * 0.17, y + 9 + seconds * 0.19) * reach;
  }
}

function warpRow(
  { image, columns, swayX, swayY }: Warp,
  out: Uint8ClampedArray,
  row: number,
  zoom: number,
  left: number,
  top: number,
): void {
  const { width, height, bytes } = image;
  const first = Math.floor(row / CELL) * columns;
  const down = row / CELL - Math.floor(row / CELL);
  const lastX = width - 1.001;
  const lastY = height - 1.001;
  for (let column = 0, to = row * width * 4; column < width; column++, to += 4) {
    const cell = first + Math.floor(column / CELL);
    const share = column / CELL - Math.floor(column / CELL);
    const x = left + column * zoom + between(swayX, cell, columns, share, down);
    const y = top + row * zoom + between(swayY, cell, columns, share, down);
    const px = x < 0 ? 0 : x > lastX ? lastX : x;
    const py = y < 0 ? 0 : y > lastY ? lastY : y;
    const u = px - (px | 0);
    const v = py - (py | 0);
    const at = ((py | 0) * width + (px | 0)) * 3;
    const below = at + width * 3;
    const nw = (1 - u) * (1 - v);
    const ne = u * (1 - v);
    const sw = (1 - u) * v;
    const se = u * v;
    for (let channel = 0; channel < 3; channel++) {
      const from = at + channel;
      out[to + channel] =
        (bytes[from] ?? 0) * nw +
        (bytes[from + 3] ?? 0) * ne +
        (bytes[below + channel] ?? 0) * sw +
        (bytes[below + channel + 3] ?? 0) * se;
    }
  }
}

function between(values: Float32Array, cell: number, columns: number, u: number, v: number): number {
  const top = (values[cell] ?? 0) * (1 - u) + (values[cell + 1] ?? 0) * u;
  const low = (values[cell + columns] ?? 0) * (1 - u) + (values[cell + columns + 1] ?? 0) * u;
  return top + (low - top) * v;
}
