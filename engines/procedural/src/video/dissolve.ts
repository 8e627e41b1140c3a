import { createCanvas } from '@napi-rs/canvas';
import { smoothstep } from '../colour.ts';
import { createNoise } from '../noise.ts';
import type { Scene } from '../scene.ts';
import type { Shot } from './shot.ts';

/** When the second shot begins and when it is fully visible, as shares of the video. */
const SPAN = { from: 0.3, to: 0.96 };
const SOFTNESS = 0.3;
/** Side of a cell of the dissolve's pattern, in pixels. */
const CELL = 6;

/** Dissolves one shot into another, like rising mist: low places change first. */
export function dissolve(scene: Scene, seconds: number, first: Shot, second: Shot): Shot {
  const { width, height } = scene;
  const columns = Math.ceil(width / CELL);
  const rows = Math.ceil(height / CELL);
  const order = orderOf(scene, columns, rows);
  const veil = createCanvas(columns, rows);
  const veilContext = veil.getContext('2d');
  const image = veilContext.createImageData(columns, rows);
  const layer = createCanvas(width, height);
  const layerContext = layer.getContext('2d');
  return async (now) => {
    const way = smoothstep(SPAN.from, SPAN.to, now / seconds);
    if (way <= 0) return first(now);
    if (way >= 1) return second(now);
    const reach = way * (1 + 2 * SOFTNESS) - SOFTNESS;
    for (const [cell, rank] of order.entries())
      image.data[cell * 4 + 3] = 255 * (1 - smoothstep(reach - SOFTNESS, reach + SOFTNESS, rank));
    veilContext.putImageData(image, 0, 0);
    layerContext.globalCompositeOperation = 'copy';
    layerContext.drawImage(veil, 0, 0, columns * CELL, rows * CELL);
    layerContext.globalCompositeOperation = 'source-in';
    layerContext.drawImage(await second(now), 0, 0);
    const canvas = await first(now);
    canvas.getContext('2d').drawImage(layer, 0, 0);
    return canvas;
  };
}

/** Returns when each cell changes, 0–1. */
function orderOf(scene: Scene, columns: number, rows: number): Float32Array {
  const noise = createNoise(scene.random.fork('dissolve'));
  return new Float32Array(columns * rows).map((_, cell) => {
    const x = ((cell % columns) / columns) * scene.aspect;
    const y = Math.floor(cell / columns) / rows;
    return Math.min(1, Math.max(0, 0.5 + noise.fbm(x * 2.1, y * 2.6, 4) * 0.75 + (0.5 - y) * 0.35));
  });
}
