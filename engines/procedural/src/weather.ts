import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix } from './colour.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';

/** Paints falling, flying or flashing things in front of a finished picture. */
export function paintWeather(context: SKRSContext2D, scene: Scene): void {
  if (scene.animated) return;
  if (scene.mood.weather.rain > 0) paintRain(context, scene);
  if (scene.mood.weather.snow > 0.3) paintSnowfall(context, scene);
  if (scene.mood.places.has('birds')) paintBirds(context, scene);
}

/** Paints lightning. Called before the land is drawn, so that the bolt is behind the land. */
export function paintLightning(context: SKRSContext2D, scene: Scene): void {
  const { mood, width, height, unit } = scene;
  const random = scene.random.fork('lightning');
  if (scene.animated) return;
  if (!mood.sky.has('lightning') && !(mood.weather.storm > 0 && random.chance(0.6))) return;
  const from = { x: scene.focus * width, y: height * 0.03 };
  const to = { x: from.x + random.range(-0.12, 0.12) * width, y: scene.horizon * height };
  const flash = context.createRadialGradient(from.x, to.y * 0.45, 0, from.x, to.y * 0.45, height * 0.55);
  flash.addColorStop(0, css({ l: 0.92, c: 0.05, h: 285 }, 0.34));
  flash.addColorStop(1, css({ l: 0.8, c: 0.06, h: 285 }, 0));
  context.fillStyle = flash;
  context.fillRect(0, 0, width, height);
  const bolt = crackle(from, to, random);
  strike(context, bolt, unit);
  for (let branch = 0; branch < 4; branch++) {
    const root = bolt[Math.floor(bolt.length * random.range(0.15, 0.7))] ?? from;
    const reach = random.range(0.08, 0.2) * height;
    const tip = { x: root.x + (random.chance(0.5) ? 1 : -1) * reach * 0.8, y: root.y + reach };
    strike(context, crackle(root, tip, random), unit * 0.45);
  }
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Returns a jagged line between two points, by displacing midpoints. */
function crackle(from: Spot, to: Spot, random: Random): Spot[] {
  let points = [from, to];
  for (let round = 0; round < 7; round++) {
    points = points.flatMap((point, index) => {
      const next = points[index + 1];
      if (!next) return [point];
      const span = Math.hypot(next.x - point.x, next.y - point.y);
      return [
        point,
        { x: (point.x + next.x) / 2 + random.gaussian() * span * 0.12, y: (point.y + next.y) / 2 },
      ];
    });
  }
  return points;
}

function strike(context: SKRSContext2D, points: readonly Spot[], unit: number): void {
  context.save();
  context.lineJoin = 'round';
  for (const [thick, alpha] of [
    [26, 0.05],
    [11, 0.12],
    [4.5, 0.4],
    [1.8, 1],
  ] as const) {
    context.strokeStyle = css({ l: 0.97, c: 0.03, h: 285 }, alpha);
    context.lineWidth = thick * unit;
    context.beginPath();
    for (const { x, y } of points) context.lineTo(x, y);
    context.stroke();
  }
  context.restore();
}

function paintRain(context: SKRSContext2D, scene: Scene): void {
  const { width, height, unit, palette, mood } = scene;
  const random = scene.random.fork('rain');
  const slant = 0.1 + mood.weather.wind * 0.3 + mood.weather.storm * 0.15;
  const count = Math.round(650 * mood.weather.rain * scene.aspect);
  context.save();
  context.lineCap = 'round';
  for (let drop = 0; drop < count; drop++) {
    const near = random.next();
    const length = unit * (14 + near * 46);
    const x = random.range(-0.1, 1.1) * width;
    const y = random.range(-0.05, 1) * height;
    context.strokeStyle = css(mix(palette.haze, palette.snow, 0.45), 0.1 + near * 0.16);
    context.lineWidth = unit * (0.7 + near * 1.1);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - length * slant, y + length);
    context.stroke();
  }
  context.restore();
}

function paintSnowfall(context: SKRSContext2D, scene: Scene): void {
  const { width, height, unit, palette, mood } = scene;
  const random = scene.random.fork('snowfall');
  const flakes = createCanvas(32, 32);
  const flake = flakes.getContext('2d');
  const soft = flake.createRadialGradient(16, 16, 0, 16, 16, 16);
  const white = mix(palette.snow, palette.glow, 0.2);
  soft.addColorStop(0, css(white, 0.95));
  soft.addColorStop(0.45, css(white, 0.6));
  soft.addColorStop(1, css(white, 0));
  flake.fillStyle = soft;
  flake.fillRect(0, 0, 32, 32);
  const count = Math.round(560 * mood.weather.snow * Math.max(1, scene.aspect));
  context.save();
  for (let index = 0; index < count; index++) {
    const near = random.next() ** 3;
    const size = unit * (2.4 + near * 15);
    context.globalAlpha = 0.85 - near * 0.45;
    context.drawImage(
      flakes,
      random.next() * width - size / 2,
      random.next() * height - size / 2,
      size,
      size,
    );
  }
  context.restore();
}

function paintBirds(context: SKRSContext2D, scene: Scene): void {
  const { width, height, unit, palette } = scene;
  const random = scene.random.fork('birds');
  const centreX = (1 - scene.focus) * width;
  const centreY = scene.horizon * height * random.range(0.35, 0.6);
  context.save();
  context.strokeStyle = css(palette.dark, 0.85);
  context.lineCap = 'round';
  for (let bird = 0; bird < 11; bird++) {
    const x = centreX + random.gaussian() * width * 0.11;
    const y = centreY + random.gaussian() * height * 0.045;
    const span = unit * random.range(7, 17);
    const lift = span * random.range(0.2, 0.55);
    context.lineWidth = span * 0.13;
    context.beginPath();
    context.moveTo(x - span, y - lift);
    context.quadraticCurveTo(x - span * 0.35, y - lift * 1.1, x, y);
    context.quadraticCurveTo(x + span * 0.35, y - lift * 1.1, x + span, y - lift * 0.8);
    context.stroke();
  }
  context.restore();
}
