import { createCanvas } from '@napi-rs/canvas';
import type { Painter } from '../models.ts';
import type { Scene } from '../scene.ts';
import { glide, type PlainShot } from './shot.ts';
import { createMovingWeather } from './moving-weather.ts';
import { vignetteOf } from './vignette.ts';

/** The plate is larger than the frame by this factor, so that the frame can move over it. */
const OVERSCAN = 1.12;

/** Creates a shot of a painted picture (the plate): a camera moves over it, with weather in front. */
export function createPlateShot(scene: Scene, seconds: number, paint: Painter): PlainShot {
  const { width, height } = scene;
  const plate = paint(plateOf(scene));
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const weather = createMovingWeather(scene);
  const vignette = vignetteOf(scene, 0.4);
  const random = scene.random.fork('journey');
  const [panX, panY] = [random.range(0.5, 0.9) * (random.chance(0.5) ? 1 : -1), random.range(-0.6, 0.6)];
  const inwards = random.chance(0.6);
  // A short video moves less far, at the same speed.
  const reach = Math.min(1, seconds / 5);
  const quay = scene.mood.places.has('city') ? plate.height * 0.745 : plate.height;
  return (now) => {
    const way = glide(now / seconds);
    const zoom = 1 + 0.08 * reach * (inwards ? way : 1 - way);
    const [sw, sh] = [width / zoom, height / zoom];
    const sx = ((plate.width - sw) / 2) * (1 + panX * (way * 2 - 1) * reach);
    const sy = ((plate.height - sh) / 2) * (1 + panY * (way * 2 - 1) * reach);
    context.imageSmoothingQuality = 'medium';
    context.drawImage(plate, sx, sy, sw, sh, 0, 0, width, height);
    // Below the quay is water, which always moves.
    for (let row = (quay - sy) * zoom; row < height; row += 3) {
      const deep = (row - (quay - sy) * zoom) / height;
      const sway = Math.sin(row * 0.5 + now * 2.6) * Math.sin(row * 0.13 - now * 1.7) * (0.8 + deep * 9);
      context.drawImage(plate, sx + sway, sy + row / zoom, sw, 3 / zoom, 0, row, width, 3.4);
    }
    weather(context, now, 1);
    context.drawImage(vignette, 0, 0);
    return canvas;
  };
}

const plateOf = (scene: Scene): Scene => ({
  ...scene,
  width: Math.round(scene.width * OVERSCAN),
  height: Math.round(scene.height * OVERSCAN),
  unit: scene.unit * OVERSCAN,
  animated: true,
});
