import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { paintAurora, paintStars } from '../celestial.ts';
import { clamp, css, mix } from '../colour.ts';
import { createRaster, toCanvas } from '../raster.ts';
import type { Scene } from '../scene.ts';
import { createSky } from '../sky.ts';

/** Scale at which the sky is drawn before it is enlarged. Clouds are soft, so a small scale is enough. */
const SCALE = 0.2;
/** Cloud widths per second. */
const WIND = { still: 0.016, full: 0.075 };

/** Draws the sky of one moment, down to the lowest visible row. */
export type DriftingSky = (context: SKRSContext2D, seconds: number) => void;

export function createDriftingSky(scene: Scene): DriftingSky {
  const { width, height, mood } = scene;
  const paint = createSky(scene, SCALE);
  const wind = WIND.still + (WIND.full - WIND.still) * clamp(mood.weather.wind + mood.weather.storm * 0.8);
  const way = scene.random.fork('wind').chance(0.5) ? 1 : -1;
  const stars = scene.stars > 0.05 ? [starLayer(scene, 'one'), starLayer(scene, 'two')] : [];
  const aurora = mood.sky.has('aurora') ? auroraLayer(scene) : null;
  const lamp = scene.sun.visible ? lampOf(scene) : null;
  return (context, seconds) => {
    const { canvas } = toCanvas(paint(seconds * wind * way));
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = 'low';
    // The land covers lower rows.
    const rows = Math.ceil(canvas.height * Math.min(1, scene.horizon + 0.06));
    context.drawImage(canvas, 0, 0, canvas.width, rows, 0, 0, width, (rows * height) / canvas.height);
    for (const [index, layer] of stars.entries()) {
      context.globalAlpha = 0.62 + 0.38 * Math.sin(seconds * 1.9 + index * Math.PI);
      context.drawImage(layer, 0, 0);
    }
    context.globalAlpha = 1;
    if (aurora) drawAurora(context, aurora, seconds);
    if (lamp)
      context.drawImage(lamp, scene.sun.x * width - lamp.width / 2, scene.sun.y * height - lamp.height / 2);
  };
}

function starLayer(scene: Scene, name: string): Canvas {
  const canvas = createCanvas(scene.width, scene.height);
  const half: Scene = {
    ...scene,
    stars: scene.stars * 0.6,
    random: scene.random.fork(`stars ${name}`),
  };
  paintStars(canvas.getContext('2d'), half, scene.horizon);
  return canvas;
}

/** Draws the aurora on black, to be added to any sky. */
function auroraLayer(scene: Scene): Canvas {
  const raster = createRaster(scene.width, scene.height);
  paintAurora(raster, scene);
  return toCanvas(raster).canvas;
}

function drawAurora(context: SKRSContext2D, layer: Canvas, seconds: number): void {
  const { width, height } = layer;
  context.save();
  context.globalCompositeOperation = 'lighter';
  // The curtain is drawn twice, and the two sway in opposite directions.
  for (const [phase, way] of [
    [0, 1],
    [2.1, -1],
  ] as const) {
    context.globalAlpha = 0.42 + 0.24 * Math.sin(seconds * 0.8 + phase);
    const sway = Math.sin(seconds * 0.45 + phase) * width * 0.018 * way;
    const lift = Math.sin(seconds * 0.6 + phase) * 0.03;
    context.drawImage(layer, sway - width * 0.03, -height * lift, width * 1.06, height * (1 + lift));
  }
  context.restore();
}

/** Draws the sun or moon with its halo on a transparent background. */
function lampOf(scene: Scene): Canvas {
  const { sun, palette, width, height } = scene;
  const radius = sun.radius * Math.min(width, height);
  const side = Math.ceil(radius * 9.5);
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const middle = side / 2;
  const veil = 1 - Math.max(scene.mood.weather.fog, scene.clouds > 0.7 ? 0.5 : 0) * 0.5;
  const halo = context.createRadialGradient(middle, middle, radius * 0.8, middle, middle, middle);
  const strength = (sun.kind === 'crescent' ? 0.3 : 0.52) * veil;
  for (const step of [0, 0.08, 0.2, 0.4, 0.65, 1])
    halo.addColorStop(step, css(palette.glow, strength * Math.exp(-step * 4.2) * (1 - step)));
  context.fillStyle = halo;
  context.fillRect(0, 0, side, side);
  context.fillStyle = css(mix(palette.disc, { l: 1, c: 0, h: 0 }, 0.15), veil);
  context.beginPath();
  if (sun.kind === 'crescent') {
    context.arc(middle, middle, radius, 0.5, 0.5 + Math.PI * 1.42);
    context.arc(
      middle + radius * 0.42,
      middle - radius * 0.18,
      radius * 0.82,
      0.1 + Math.PI * 1.42,
      0.9,
      true,
    );
  } else context.arc(middle, middle, radius, 0, Math.PI * 2);
  context.fill();
  return canvas;
}
