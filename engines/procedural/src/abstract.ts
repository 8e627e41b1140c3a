import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, shade, type Colour } from './colour.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';

interface Sheet {
  readonly context: SKRSContext2D;
  readonly scene: Scene;
  readonly random: Random;
  readonly tones: readonly [Colour, ...Colour[]];
  /** Shorter side, pixels. */
  readonly side: number;
  readonly line: number;
}

/** Paints discs, bars, arcs and wedges in balance, like the compositions of constructivist painters. */
export function paintAbstract(scene: Scene): Canvas {
  const { width, height, palette, look } = scene;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const random = scene.random.fork('composition');
  const dark = palette.exposure < 0.45;
  const ground = dark ? mix(palette.dark, palette.sky[0], 0.35) : mix(palette.paper, palette.haze, 0.16);
  const [zenith, high, low, horizon] = palette.sky;
  const tones = [palette.accent, palette.counter, zenith, low, palette.glow, high, horizon].map((tone) => ({
    ...tone,
    l: dark ? Math.max(tone.l, 0.5) : Math.min(tone.l, 0.82),
  }));
  const sheet: Sheet = {
    context,
    scene,
    random,
    tones: [palette.accent, ...tones],
    side: Math.min(width, height),
    line: scene.unit * 2.2 * look.weight,
  };
  const wash = context.createLinearGradient(0, 0, width * 0.3, height);
  wash.addColorStop(0, css(shade(ground, 1.04)));
  wash.addColorStop(1, css(shade(ground, 0.93)));
  context.fillStyle = wash;
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = dark ? 'screen' : 'multiply';
  drawShapes(sheet, dark);
  context.globalCompositeOperation = 'source-over';
  drawLines(sheet, dark ? palette.snow : palette.ink);
  return canvas;
}

function drawShapes(sheet: Sheet, dark: boolean): void {
  const { scene, random, side } = sheet;
  const { width, height, focus } = scene;
  const alpha = dark ? 0.62 : 0.86;
  const axis = random.range(-0.9, -0.3) * (random.chance(0.5) ? 1 : -1);
  disc(sheet, focus * width, height * random.range(0.32, 0.46), side * random.range(0.2, 0.28), 0, alpha);
  const wedges = 2 + random.int(2);
  for (let wedge = 0; wedge < wedges; wedge++) drawWedge(sheet, axis + random.gaussian() * 0.25, alpha);
  for (let arc = 0; arc < 2; arc++) drawArcs(sheet, alpha);
  const count = 4 + Math.round(scene.look.detail * 8 + Math.max(0, scene.mood.energy) * 4);
  for (let shape = 0; shape < count; shape++) {
    const x = random.range(0.06, 0.94) * width;
    const y = random.range(0.06, 0.94) * height;
    const size = side * 0.16 * random.next() ** 1.6 + side * 0.02;
    const kind = random.int(4);
    if (kind === 0) disc(sheet, x, y, size * 0.7, 1 + random.int(5), alpha);
    else if (kind === 1)
      bar(sheet, x, y, size * 3.2, size * 0.28, axis + (random.chance(0.25) ? Math.PI / 2 : 0), alpha);
    else if (kind === 2) quarter(sheet, x, y, size * 1.3, alpha);
    else dots(sheet, x, y, size, axis);
  }
}

const toneOf = ({ tones, random }: Sheet, index = random.int(tones.length)): Colour =>
  tones[index % tones.length] ?? tones[0];

function disc(sheet: Sheet, x: number, y: number, radius: number, tone: number, alpha: number): void {
  const { context } = sheet;
  const fill = context.createLinearGradient(x - radius, y - radius, x + radius, y + radius);
  fill.addColorStop(0, css(shade(toneOf(sheet, tone), 1.12), alpha));
  fill.addColorStop(1, css(mix(toneOf(sheet, tone), toneOf(sheet, tone + 2), 0.5), alpha));
  context.fillStyle = fill;
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fill();
}

/** A long triangle across the sheet. */
function drawWedge(sheet: Sheet, angle: number, alpha: number): void {
  const { context, scene, random, side } = sheet;
  const x = random.range(0.1, 0.9) * scene.width;
  const y = random.range(0.25, 0.9) * scene.height;
  const long = side * random.range(0.5, 0.95);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const wide = long * random.range(0.12, 0.3);
  const fill = context.createLinearGradient(x, y, x + cos * long, y + sin * long);
  const tone = toneOf(sheet);
  fill.addColorStop(0, css(tone, alpha));
  fill.addColorStop(1, css(tone, alpha * 0.12));
  context.fillStyle = fill;
  context.beginPath();
  context.moveTo(x - sin * wide * 0.5, y + cos * wide * 0.5);
  context.lineTo(x + sin * wide * 0.5, y - cos * wide * 0.5);
  context.lineTo(x + cos * long, y + sin * long);
  context.fill();
}

function drawArcs(sheet: Sheet, alpha: number): void {
  const { context, scene, random, side } = sheet;
  const x = random.range(0.15, 0.85) * scene.width;
  const y = random.range(0.4, 0.95) * scene.height;
  const from = random.int(4) * (Math.PI / 2);
  const rings = 3 + random.int(4);
  const pitch = side * random.range(0.026, 0.05);
  context.lineWidth = pitch * 0.55;
  for (let ring = 1; ring <= rings; ring++) {
    context.strokeStyle = css(toneOf(sheet, ring), alpha);
    context.beginPath();
    context.arc(x, y, pitch * (ring + 1), from, from + Math.PI);
    context.stroke();
  }
}

function bar(
  sheet: Sheet,
  x: number,
  y: number,
  long: number,
  thick: number,
  angle: number,
  alpha: number,
): void {
  const { context } = sheet;
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.fillStyle = css(toneOf(sheet), alpha);
  context.fillRect(-long / 2, -thick / 2, long, thick);
  context.restore();
}

function quarter(sheet: Sheet, x: number, y: number, radius: number, alpha: number): void {
  const { context, random } = sheet;
  const from = random.int(4) * (Math.PI / 2);
  context.fillStyle = css(toneOf(sheet), alpha);
  context.beginPath();
  context.moveTo(x, y);
  context.arc(x, y, radius, from, from + Math.PI / 2);
  context.fill();
}

function dots(sheet: Sheet, x: number, y: number, size: number, angle: number): void {
  const { context } = sheet;
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.fillStyle = css(toneOf(sheet), 0.9);
  const pitch = Math.max(3, size * 0.26);
  for (let row = -2; row <= 2; row++) {
    for (let column = -3; column <= 3; column++) {
      context.beginPath();
      context.arc(column * pitch, row * pitch, pitch * 0.2, 0, Math.PI * 2);
      context.fill();
    }
  }
  context.restore();
}

/** Thin lines that tie the shapes together. */
function drawLines({ context, scene, random, side, line }: Sheet, ink: Colour): void {
  const { width, height, focus } = scene;
  context.strokeStyle = css(ink, 0.85);
  context.lineCap = 'round';
  const count = 5 + Math.round(scene.look.detail * 6);
  for (let index = 0; index < count; index++) {
    context.lineWidth = line * (random.chance(0.2) ? 3 : random.range(0.5, 1.2));
    const angle = random.range(-0.5, 0.5) + (random.chance(0.5) ? 0.7 : -0.8);
    const x = (focus + random.gaussian() * 0.2) * width;
    const y = random.range(0.15, 0.85) * height;
    const long = side * random.range(0.12, 0.5);
    context.beginPath();
    if (random.chance(0.25)) context.arc(x, y, long * 0.4, angle, angle + random.range(1, 4));
    else {
      context.moveTo(x - Math.cos(angle) * long, y - Math.sin(angle) * long);
      context.lineTo(x + Math.cos(angle) * long, y + Math.sin(angle) * long);
    }
    context.stroke();
  }
}
