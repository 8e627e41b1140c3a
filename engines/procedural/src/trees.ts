import type { SKRSContext2D } from '@napi-rs/canvas';
import { clamp, css, mix, type Colour } from './colour.ts';
import type { TreeKind } from './lexicon.ts';
import type { Random } from './random.ts';
import { createStrokeBatch } from './stroke-batch.ts';

/** Colours of the leaves and wood of one tree, from shade to light, and the direction of the light. */
export interface TreePaint {
  readonly wood: Colour;
  readonly dark: Colour;
  readonly lit: Colour;
  /** −1 from the left, 1 from the right. */
  readonly lightFrom: number;
}

/** Draws a tree of `size` pixels height that stands at (x, y). */
export function drawTree(
  context: SKRSContext2D,
  kind: TreeKind,
  x: number,
  y: number,
  size: number,
  paint: TreePaint,
  random: Random,
): void {
  context.save();
  context.lineCap = 'round';
  context.lineJoin = 'round';
  switch (kind) {
    case 'conifer':
      drawConifer(context, x, y, size, paint, random);
      break;
    case 'palm':
      drawPalm(context, x, y, size, paint, random);
      break;
    case 'cactus':
      drawCactus(context, x, y, size * 0.6, paint, random);
      break;
    default:
      drawCrown(context, kind, x, y, size, paint, random);
  }
  context.restore();
}

function drawConifer(
  context: SKRSContext2D,
  x: number,
  y: number,
  size: number,
  paint: TreePaint,
  random: Random,
): void {
  const lean = random.gaussian() * size * 0.008;
  const spread = size * random.range(0.15, 0.2);
  context.strokeStyle = css(paint.wood);
  context.lineWidth = size * 0.016;
  line(context, x, y, x + lean, y - size * 0.97);
  // A solid core. Without it, the sky would be visible between the twigs.
  context.fillStyle = css(paint.dark);
  context.beginPath();
  context.moveTo(x + lean, y - size * 0.98);
  context.lineTo(x + spread * 0.62, y - size * 0.06);
  context.lineTo(x - spread * 0.62, y - size * 0.06);
  context.fill();
  const rows = Math.round(clamp(size / 6, 18, 64));
  const twigs = createStrokeBatch(context);
  const shades = [0, 0.2, 0.42, 0.62].map((t) => css(mix(paint.dark, paint.lit, t)));
  for (let row = 0; row < rows; row++) {
    const rise = 0.07 + (row / rows) * 0.93;
    const reach = spread * (1 - rise) ** 0.85 + size * 0.006;
    const stem = x + lean * rise;
    const top = y - size * rise;
    // The core is dense. Twigs make its outline irregular, and a few of them are lit.
    for (let twig = 0; twig < 7; twig++) {
      const side = twig % 2 === 0 ? 1 : -1;
      const far = reach * (twig < 2 ? random.range(0.8, 1.15) : random.range(0.15, 0.85));
      const drop = far * random.range(0.18, 0.5) + size * 0.006;
      const facing = side === paint.lightFrom ? 0.42 : 0.14;
      const lit = random.chance(facing) ? 1 + random.int(twig < 2 ? 2 : 3) : 0;
      const from = twig < 2 ? 0 : random.range(0, 0.5);
      twigs.add(shades[lit] ?? '#000', size * random.range(0.007, 0.015) * (1.2 - rise * 0.6), [
        stem + side * far * from,
        top + drop * from - size * 0.008,
        stem + side * far * 0.6,
        top + drop * 0.3,
        stem + side * far,
        top + drop * random.range(0.7, 1),
      ]);
    }
  }
  twigs.flush();
  context.strokeStyle = shades[0] ?? '#000';
  context.lineWidth = size * 0.008;
  line(context, x + lean, y - size * 0.9, x + lean, y - size);
}

/** Draws a trunk that forks a few times, with a crown of dabs: leaves, blossom, or only twigs for bare trees. */
function drawCrown(
  context: SKRSContext2D,
  kind: TreeKind,
  x: number,
  y: number,
  size: number,
  paint: TreePaint,
  random: Random,
): void {
  const tips: { x: number; y: number }[] = [];
  const depth = kind === 'bare' ? 8 : 6;
  const wood = css(paint.wood);
  const grow = (
    fromX: number,
    fromY: number,
    angle: number,
    length: number,
    thick: number,
    left: number,
  ): void => {
    const toX = fromX + Math.sin(angle) * length;
    const toY = fromY - Math.cos(angle) * length;
    context.strokeStyle = wood;
    context.lineWidth = Math.max(0.6, thick);
    const bow = random.range(-0.12, 0.12) * length;
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.quadraticCurveTo((fromX + toX) / 2 + bow, (fromY + toY) / 2, toX, toY);
    context.stroke();
    if (left <= 3) tips.push({ x: toX, y: toY });
    if (left === 0) return;
    const forks = left > depth - 2 ? 2 + random.int(2) : 2;
    for (let fork = 0; fork < forks; fork++) {
      const turn = ((fork + 0.5) / forks - 0.5) * random.range(0.85, 1.45) + random.range(-0.16, 0.16);
      grow(toX, toY, angle * 0.9 + turn, length * random.range(0.66, 0.84), thick * 0.64, left - 1);
    }
  };
  grow(x, y, random.range(-0.08, 0.08), size * 0.2, size * 0.032, depth - (size < 120 ? 2 : 0));
  if (kind !== 'bare') drawLeaves(context, tips, x, size, paint, random);
}

/** Draws clumps of leaves around the ends of twigs, each dark below and lit above. */
function drawLeaves(
  context: SKRSContext2D,
  tips: readonly { x: number; y: number }[],
  x: number,
  size: number,
  paint: TreePaint,
  random: Random,
): void {
  const top = Math.min(...tips.map((tip) => tip.y));
  const bottom = Math.max(...tips.map((tip) => tip.y));
  const shades = Array.from({ length: 12 }, (_, step) => css(mix(paint.dark, paint.lit, step / 11), 0.95));
  const clumps = Math.min(tips.length, Math.round(clamp(size / 9, 24, 70)));
  const leaves: { x: number; y: number; light: number }[] = [];
  for (let clump = 0; clump < clumps; clump++) {
    const tip = tips[random.int(tips.length)] ?? { x, y: top };
    const radius = size * random.range(0.045, 0.085);
    const whole =
      (1 - (tip.y - top) / (bottom - top + 1)) * 0.42 + (((tip.x - x) * paint.lightFrom) / size) * 0.6;
    const count = Math.round(clamp(size / 16, 16, 44));
    for (let leaf = 0; leaf < count; leaf++) {
      const angle = random.next() * Math.PI * 2;
      const far = Math.sqrt(random.next());
      const dx = Math.cos(angle) * far;
      const dy = Math.sin(angle) * far * 0.8;
      const light = whole + 0.26 - dy * 0.34 + dx * paint.lightFrom * 0.2 + random.range(-0.16, 0.16);
      leaves.push({ x: tip.x + dx * radius, y: tip.y + dy * radius, light });
    }
  }
  // Dark leaves first, so that lit leaves lie on top.
  leaves.sort((one, other) => one.light - other.light);
  const leafSize = clamp(size * 0.011, 1.1, 9);
  for (const { x: leafX, y: leafY, light } of leaves) {
    context.fillStyle = shades[Math.round(clamp(light) * 11)] ?? '#000';
    context.beginPath();
    const turn = random.range(0, 3);
    context.ellipse(
      leafX,
      leafY,
      leafSize * random.range(0.8, 1.6),
      leafSize * random.range(0.5, 0.9),
      turn,
      0,
      Math.PI * 2,
    );
    context.fill();
  }
}

function drawPalm(
  context: SKRSContext2D,
  x: number,
  y: number,
  size: number,
  paint: TreePaint,
  random: Random,
): void {
  const lean = random.range(0.1, 0.3) * size * (random.chance(0.5) ? 1 : -1);
  const crownX = x + lean;
  const crownY = y - size * 0.84;
  context.strokeStyle = css(paint.wood);
  for (let part = 0; part < 12; part++) {
    const t0 = part / 12;
    const t1 = (part + 1.15) / 12;
    context.lineWidth = size * (0.036 - t0 * 0.016);
    line(context, x + lean * t0 ** 1.8, y - size * 0.84 * t0, x + lean * t1 ** 1.8, y - size * 0.84 * t1);
  }
  const fronds = 11;
  for (let frond = 0; frond < fronds; frond++) {
    const angle = -Math.PI * (0.03 + (frond / (fronds - 1)) * 0.94) + random.range(-0.12, 0.12);
    const length = size * random.range(0.32, 0.44);
    const endX = crownX + Math.cos(angle) * length;
    const endY = crownY + Math.sin(angle) * length * 0.55 + length * 0.42;
    const midX = crownX + Math.cos(angle) * length * 0.55;
    const midY = crownY + Math.sin(angle) * length * 0.62 - length * 0.05;
    context.strokeStyle = css(
      mix(paint.dark, paint.lit, Math.cos(angle) * paint.lightFrom > 0.2 ? 0.45 : 0.1),
    );
    for (let leaflet = 0; leaflet <= 26; leaflet++) {
      const t = leaflet / 26;
      const px = (1 - t) ** 2 * crownX + 2 * t * (1 - t) * midX + t * t * endX;
      const py = (1 - t) ** 2 * crownY + 2 * t * (1 - t) * midY + t * t * endY;
      const drop = length * 0.24 * Math.sin(Math.PI * (0.14 + t * 0.84));
      context.lineWidth = size * 0.0065;
      line(context, px, py, px + Math.cos(angle) * drop * 0.55, py + drop);
    }
    context.lineWidth = size * 0.011;
    context.beginPath();
    context.moveTo(crownX, crownY);
    context.quadraticCurveTo(midX, midY, endX, endY);
    context.stroke();
  }
}

function drawCactus(
  context: SKRSContext2D,
  x: number,
  y: number,
  size: number,
  paint: TreePaint,
  random: Random,
): void {
  const thick = size * 0.15;
  const arms = [-1, 1].map((side) => ({
    side,
    from: random.range(0.32, 0.55),
    rise: random.range(0.2, 0.36),
  }));
  for (const [pass, tone] of [paint.dark, mix(paint.dark, paint.lit, 0.45)].entries()) {
    context.strokeStyle = css(tone);
    context.lineWidth = pass === 0 ? thick : thick * 0.24;
    const shift = pass === 0 ? 0 : paint.lightFrom * thick * 0.26;
    line(context, x + shift, y, x + shift, y - size);
    for (const { side, from, rise } of arms) {
      const elbow = x + side * size * 0.23 + shift;
      context.lineWidth = (pass === 0 ? thick : thick * 0.24) * 0.78;
      context.beginPath();
      context.moveTo(x + shift, y - size * from);
      context.quadraticCurveTo(elbow, y - size * from, elbow, y - size * (from + rise * 0.4));
      context.lineTo(elbow, y - size * (from + rise));
      context.stroke();
    }
  }
}

function line(context: SKRSContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}
