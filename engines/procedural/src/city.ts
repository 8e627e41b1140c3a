import type { SKRSContext2D } from '@napi-rs/canvas';
import { clamp, css, mix, shade, type Colour } from './colour.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';

export interface Skyline {
  /** Row where the houses stand, in pixels. */
  readonly ground: number;
  /** 0 = all dark, 1 = every window lit. */
  readonly lit: number;
  readonly windows: readonly Colour[];
  /** Neon on the nearest houses. */
  readonly neon: readonly Colour[];
  readonly far: Colour;
  readonly near: Colour;
}

const LAYERS = 4;

/** Paints rows of houses, the tallest near the focus. Each nearer row is darker and sharper. */
export function paintSkyline(context: SKRSContext2D, scene: Scene, skyline: Skyline): void {
  const random = scene.random.fork('skyline');
  for (let layer = 0; layer < LAYERS; layer++) {
    const depth = layer / (LAYERS - 1);
    paintRow(context, scene, skyline, depth, random.fork(`row ${layer}`));
  }
}

function paintRow(
  context: SKRSContext2D,
  scene: Scene,
  skyline: Skyline,
  depth: number,
  random: Random,
): void {
  const { width, height, unit } = scene;
  const body = mix(skyline.far, skyline.near, depth ** 0.8);
  const reach = height * (0.3 - depth * 0.07);
  let x = -random.range(0, 40) * unit;
  while (x < width) {
    const wide = unit * random.range(26, 74) * (0.62 + depth * 0.75);
    const away = Math.abs((x + wide / 2) / width - scene.focus);
    const hill = Math.exp(-away * away * 9) * 0.75 + 0.28;
    const tall = reach * hill * random.range(0.45, 1.25) * (random.chance(0.08) ? 1.35 : 1);
    drawHouse(context, scene, skyline, { x, wide, tall, depth, body, random });
    x += wide * (random.chance(0.2) ? random.range(1.05, 1.35) : random.range(0.9, 1.02));
  }
}

interface House {
  readonly x: number;
  readonly wide: number;
  readonly tall: number;
  readonly depth: number;
  readonly body: Colour;
  readonly random: Random;
}

function drawHouse(context: SKRSContext2D, scene: Scene, skyline: Skyline, house: House): void {
  const { x, wide, tall, body, random, depth } = house;
  const { unit } = scene;
  const top = skyline.ground - tall;
  const fill = context.createLinearGradient(0, top, 0, skyline.ground);
  fill.addColorStop(0, css(shade(body, 0.92)));
  fill.addColorStop(1, css(mix(body, skyline.far, 0.42)));
  context.fillStyle = fill;
  context.fillRect(x, top, wide, tall + 2);
  const roof = random.int(6);
  if (roof === 0) context.fillRect(x + wide * 0.18, top - wide * 0.35, wide * 0.64, wide * 0.36);
  if (roof === 1) context.fillRect(x + wide * 0.47, top - wide * 1.1, Math.max(1, unit * 1.6), wide * 1.1);
  if (roof === 2) {
    context.beginPath();
    context.moveTo(x, top + 1);
    context.lineTo(x + wide * (random.chance(0.5) ? 0 : 0.5), top - wide * 0.5);
    context.lineTo(x + wide, top + 1);
    context.fill();
  }
  if (roof === 3) {
    context.fillRect(x + wide * 0.14, top - wide * 0.22, wide * 0.72, wide * 0.24);
    context.fillRect(x + wide * 0.3, top - wide * 0.45, wide * 0.4, wide * 0.26);
    context.fillRect(x + wide * 0.48, top - wide * 0.95, Math.max(1, unit * 1.4), wide * 0.6);
  }
  lightWindows(context, scene, skyline, house);
  if (depth > 0.6 && skyline.neon.length > 0 && random.chance(0.3)) hangNeon(context, skyline, house, unit);
  if (roof === 1 && depth > 0.3) beacon(context, x + wide * 0.47, top - wide * 1.1, unit);
}

function lightWindows(context: SKRSContext2D, scene: Scene, skyline: Skyline, house: House): void {
  const { x, wide, tall, depth, random } = house;
  const pitch = Math.max(2.6, scene.unit * (5.2 + depth * 5.5));
  const columns = Math.max(1, Math.floor((wide * 0.84) / pitch));
  const rows = Math.min(60, Math.floor((tall * 0.94) / (pitch * 1.25)));
  const size = pitch * 0.52;
  const left = x + (wide - columns * pitch) / 2 + pitch * 0.24;
  const mood = random.range(0.35, 1.35) * skyline.lit;
  const habit = skyline.windows[random.int(skyline.windows.length)];
  const style = random.int(3);
  for (let row = 0; row < rows; row++) {
    const floor = random.chance(0.12) ? 1.9 : 1;
    const y = skyline.ground - tall + pitch * (0.8 + row * 1.25);
    for (let column = 0; column < columns; column++) {
      if (!random.chance(mood * 0.42 * floor)) continue;
      const tone = random.chance(0.8) ? habit : skyline.windows[random.int(skyline.windows.length)];
      if (!tone) continue;
      context.fillStyle = css(
        shade(tone, random.range(0.75, 1.06)),
        clamp(0.34 + depth * 0.55) * random.range(0.55, 1),
      );
      context.fillRect(
        left + column * pitch,
        y,
        style === 1 ? pitch * 0.8 : size,
        style === 2 ? size * 1.5 : size,
      );
    }
  }
}

function hangNeon(context: SKRSContext2D, skyline: Skyline, house: House, unit: number): void {
  const { x, wide, tall, random } = house;
  const tone = skyline.neon[random.int(skyline.neon.length)];
  if (!tone) return;
  const upright = random.chance(0.6);
  const signX = x + wide * random.range(0.12, 0.7);
  const signY = skyline.ground - tall * random.range(0.45, 0.9);
  const long = (upright ? tall * 0.3 : wide * 0.5) * random.range(0.6, 1);
  context.save();
  context.shadowColor = css(tone);
  context.shadowBlur = unit * 22;
  context.fillStyle = css(mix(tone, { l: 1, c: 0, h: 0 }, 0.25));
  context.fillRect(signX, signY, upright ? unit * 3.4 : long, upright ? long : unit * 3.4);
  if (upright) context.fillRect(signX + unit * 6, signY + long * 0.15, unit * 1.6, long * 0.7);
  context.restore();
}

function beacon(context: SKRSContext2D, x: number, y: number, unit: number): void {
  const glow = context.createRadialGradient(x, y, 0, x, y, unit * 9);
  glow.addColorStop(0, 'rgba(255,90,70,0.9)');
  glow.addColorStop(0.2, 'rgba(255,60,50,0.4)');
  glow.addColorStop(1, 'rgba(255,40,40,0)');
  context.fillStyle = glow;
  context.fillRect(x - unit * 9, y - unit * 9, unit * 18, unit * 18);
}
