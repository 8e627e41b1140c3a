import { createCanvas, Path2D, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { clamp, css, mix, shade, type Colour } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';

/** A stack of sheets. Each sheet throws a shadow on the sheet behind it. */
export interface Stack {
  readonly context: SKRSContext2D;
  readonly scene: Scene;
  readonly random: Random;
  readonly noise: Noise;
  readonly fibres: Canvas;
}

export function createStack(scene: Scene): { canvas: Canvas; stack: Stack } {
  const canvas = createCanvas(scene.width, scene.height);
  const random = scene.random.fork('paper');
  return {
    canvas,
    stack: {
      context: canvas.getContext('2d'),
      scene,
      random,
      noise: createNoise(random.fork('edge')),
      fibres: createFibres(random.fork('fibres')),
    },
  };
}

/** Adds one sheet: its shadow, its colour with a slight gradient of light, and its lit upper edge. */
export function laySheet(
  stack: Stack,
  tone: Colour,
  height: number,
  trace: (shape: Path2D) => void,
  rule: 'nonzero' | 'evenodd' = 'nonzero',
): void {
  const { context, scene } = stack;
  const { unit, look, sun } = scene;
  const drop = unit * height * (0.55 + look.weight * 0.45);
  const rim = Math.max(0.7, unit * 1.5);
  context.save();
  // The sheet is drawn twice, slightly shifted: the visible part of the first one looks like the lit thickness of the
  // paper.
  const shape = new Path2D();
  trace(shape);
  context.shadowColor = css(
    mix(scene.palette.dark, { l: 0.05, c: 0.02, h: 280 }, 0.4),
    clamp(0.3 + look.weight * 0.2),
  );
  context.shadowBlur = drop * 2.1;
  context.shadowOffsetX = (sun.x < 0.5 ? 1 : -1) * drop * 0.32;
  context.shadowOffsetY = drop * 0.5;
  context.fillStyle = css(mix(tone, { l: 1, c: 0.01, h: 90 }, 0.38));
  fillShape(context, shape, rule);
  context.shadowColor = 'transparent';
  context.translate((sun.x < 0.5 ? 0.5 : -0.5) * rim, rim);
  const light = context.createLinearGradient(sun.x * scene.width, 0, (1 - sun.x) * scene.width, scene.height);
  light.addColorStop(0, css(shade(tone, 1.035)));
  light.addColorStop(1, css(shade(tone, 0.95)));
  context.fillStyle = light;
  fillShape(context, shape, rule);
  context.restore();
}

const fillShape = (context: SKRSContext2D, shape: Path2D, rule: 'nonzero' | 'evenodd'): void =>
  context.fill(shape, rule);

/** Returns the edge of a sheet along the frame: a wavy line as cut with scissors, or straight cuts for the knife. */
export function cutEdge(stack: Stack, heightAt: (x: number) => number): { x: number; y: number }[] {
  const { scene } = stack;
  const knife = scene.look.brush === 'knife';
  const steps = knife ? 15 : Math.round(60 + scene.look.detail * 120);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const x = -0.03 + (step / steps) * 1.06;
    return { x: x * scene.width, y: heightAt(x) * scene.height };
  });
}

/** Multiplies the texture of paper fibres over the finished stack. */
export function textureStack({ context, scene, fibres }: Stack): void {
  const pattern = context.createPattern(fibres, 'repeat');
  if (!pattern) return;
  context.save();
  context.globalCompositeOperation = 'multiply';
  context.globalAlpha = scene.look.brush === 'smooth' ? 0.35 : 0.9;
  context.fillStyle = pattern;
  context.fillRect(0, 0, scene.width, scene.height);
  context.restore();
}

/** Adds a row of punched holes, for the stippling sampler. */
export function punch(stack: Stack, edge: readonly { x: number; y: number }[], behind: Colour): void {
  const { context, scene } = stack;
  if (scene.look.brush !== 'stipple') return;
  context.fillStyle = css(behind);
  const size = scene.unit * 3.4;
  for (let index = 0; index < edge.length; index += 2) {
    const point = edge[index];
    if (!point) continue;
    context.beginPath();
    context.arc(point.x, point.y + size * 4.5, size, 0, Math.PI * 2);
    context.fill();
  }
}

const FIBRE_SIDE = 256;

function createFibres(random: Random): Canvas {
  const canvas = createCanvas(FIBRE_SIDE, FIBRE_SIDE);
  const context = canvas.getContext('2d');
  const image = context.createImageData(FIBRE_SIDE, FIBRE_SIDE);
  for (let index = 0; index < image.data.length; index += 4) {
    const tone = 246 + random.gaussian() * 4.5;
    image.data[index] = tone;
    image.data[index + 1] = tone;
    image.data[index + 2] = tone - 1;
    image.data[index + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  for (let fibre = 0; fibre < 260; fibre++) {
    const x = random.next() * FIBRE_SIDE;
    const y = random.next() * FIBRE_SIDE;
    const angle = random.next() * Math.PI;
    const long = random.range(4, 15);
    context.strokeStyle = random.chance(0.5) ? 'rgba(255,255,255,0.35)' : 'rgba(120,110,100,0.13)';
    context.lineWidth = 0.8;
    context.beginPath();
    context.moveTo(x, y);
    context.quadraticCurveTo(
      x + Math.cos(angle + 0.5) * long,
      y + Math.sin(angle + 0.5) * long,
      x + Math.cos(angle) * long * 2,
      y + Math.sin(angle) * long * 2,
    );
    context.stroke();
  }
  return canvas;
}
