import type { Path2D } from '@napi-rs/canvas';
import type { TreeKind } from './lexicon.ts';
import type { Random } from './random.ts';

/**
 * The shapes of this file are cut from paper. Each function adds an outline to a path, and the caller fills the path.
 */

export function traceTree(
  path: Path2D,
  kind: TreeKind,
  x: number,
  y: number,
  size: number,
  random: Random,
): void {
  if (kind === 'conifer') traceConifer(path, x, y, size, random);
  else if (kind === 'palm') tracePalm(path, x, y, size, random);
  else if (kind === 'cactus') traceCactus(path, x, y, size * 0.7);
  else traceCrown(path, x, y, size, random);
}

function traceConifer(path: Path2D, x: number, y: number, size: number, random: Random): void {
  const tiers = 4;
  const wide = size * random.range(0.19, 0.25);
  path.moveTo(x, y - size);
  for (const side of [1, -1]) {
    const order = side > 0 ? [1, 2, 3, 4] : [4, 3, 2, 1];
    for (const tier of order) {
      const foot = y - size + (size * 0.86 * tier) / tiers;
      const reach = wide * (0.3 + (0.7 * tier) / tiers);
      const inner = reach * 0.45;
      if (side > 0) {
        path.lineTo(x + reach, foot);
        path.lineTo(x + (tier === tiers ? size * 0.03 : inner), foot - (tier === tiers ? 0 : size * 0.025));
      } else {
        path.lineTo(x - (tier === tiers ? size * 0.03 : inner), foot - (tier === tiers ? 0 : size * 0.025));
        path.lineTo(x - reach, foot);
      }
    }
    if (side > 0) {
      path.lineTo(x + size * 0.03, y + size * 0.04);
      path.lineTo(x - size * 0.03, y + size * 0.04);
    }
  }
  path.closePath();
}

function traceCrown(path: Path2D, x: number, y: number, size: number, random: Random): void {
  path.moveTo(x - size * 0.025, y + size * 0.04);
  path.lineTo(x - size * 0.018, y - size * 0.6);
  path.lineTo(x + size * 0.018, y - size * 0.6);
  path.lineTo(x + size * 0.025, y + size * 0.04);
  path.closePath();
  const lobes = 6;
  for (let lobe = 0; lobe < lobes; lobe++) {
    const angle = (lobe / lobes) * Math.PI * 2 + random.range(-0.2, 0.2);
    const cx = x + Math.cos(angle) * size * 0.15;
    const cy = y - size * 0.68 + Math.sin(angle) * size * 0.16;
    const radius = size * random.range(0.13, 0.18);
    path.moveTo(cx + radius, cy);
    path.arc(cx, cy, radius, 0, Math.PI * 2);
  }
}

function tracePalm(path: Path2D, x: number, y: number, size: number, random: Random): void {
  const lean = random.range(-0.22, 0.22) * size;
  const [topX, topY] = [x + lean, y - size * 0.85];
  path.moveTo(x - size * 0.03, y + size * 0.04);
  path.quadraticCurveTo(x, y - size * 0.5, topX - size * 0.012, topY);
  path.lineTo(topX + size * 0.012, topY);
  path.quadraticCurveTo(x + size * 0.05, y - size * 0.5, x + size * 0.03, y + size * 0.04);
  path.closePath();
  for (let frond = 0; frond < 7; frond++) {
    const angle = -Math.PI * (0.02 + (frond / 6) * 0.96);
    const reach = size * random.range(0.3, 0.4);
    const endX = topX + Math.cos(angle) * reach;
    const endY = topY + Math.sin(angle) * reach * 0.4 + reach * 0.4;
    path.moveTo(topX, topY);
    path.quadraticCurveTo(
      topX + Math.cos(angle) * reach * 0.6,
      topY + Math.sin(angle) * reach * 0.75 - reach * 0.08,
      endX,
      endY,
    );
    path.quadraticCurveTo(
      topX + Math.cos(angle) * reach * 0.5,
      topY + Math.sin(angle) * reach * 0.4 + reach * 0.16,
      topX,
      topY,
    );
    path.closePath();
  }
}

function traceCactus(path: Path2D, x: number, y: number, size: number): void {
  const thick = size * 0.13;
  path.roundRect(x - thick / 2, y - size, thick, size * 1.05, thick / 2);
  for (const [side, from, rise] of [
    [-1, 0.4, 0.3],
    [1, 0.55, 0.26],
  ] as const) {
    const armX = x + side * size * 0.24;
    path.roundRect(
      Math.min(x, armX) - thick * 0.4,
      y - size * from - thick * 0.4,
      Math.abs(armX - x) + thick * 0.8,
      thick * 0.8,
      thick * 0.4,
    );
    path.roundRect(
      armX - thick * 0.4,
      y - size * (from + rise),
      thick * 0.8,
      size * rise + thick * 0.4,
      thick * 0.4,
    );
  }
}

/** Traces a cloud with a flat base. */
export function traceCloud(path: Path2D, x: number, y: number, wide: number, random: Random): void {
  const tall = wide * 0.24;
  path.roundRect(x - wide / 2, y - tall * 0.5, wide, tall * 0.5, tall * 0.25);
  const puffs = 4 + random.int(2);
  for (let puff = 0; puff < puffs; puff++) {
    const t = (puff + 0.5) / puffs;
    const radius = tall * (0.3 + Math.sin(t * Math.PI) * random.range(0.35, 0.6));
    const cx = x + (t - 0.5) * wide * 0.78;
    const cy = y - tall * 0.25 - radius * 0.32;
    path.moveTo(cx + radius, cy);
    path.arc(cx, cy, radius, 0, Math.PI * 2);
  }
}

/** Traces a pointed leaf, beginning at its stalk. */
export function traceLeaf(
  path: Path2D,
  x: number,
  y: number,
  angle: number,
  long: number,
  wide: number,
): void {
  const tipX = x + Math.cos(angle) * long;
  const tipY = y + Math.sin(angle) * long;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  path.moveTo(x, y);
  path.bezierCurveTo(
    x + cos * long * 0.25 - sin * wide,
    y + sin * long * 0.25 + cos * wide,
    x + cos * long * 0.7 - sin * wide * 0.8,
    y + sin * long * 0.7 + cos * wide * 0.8,
    tipX,
    tipY,
  );
  path.bezierCurveTo(
    x + cos * long * 0.7 + sin * wide * 0.8,
    y + sin * long * 0.7 - cos * wide * 0.8,
    x + cos * long * 0.25 + sin * wide,
    y + sin * long * 0.25 - cos * wide,
    x,
    y,
  );
  path.closePath();
}

/** Traces a bent stem with pairs of leaves. */
export function traceFern(
  path: Path2D,
  x: number,
  y: number,
  angle: number,
  long: number,
  bend: number,
  pairs: number,
): void {
  let px = x;
  let py = y;
  for (let pair = 0; pair <= pairs; pair++) {
    const t = pair / pairs;
    const here = angle + bend * t;
    const size = long * 0.3 * (1 - t * 0.65);
    for (const side of pair === pairs ? [0] : [-0.9, 0.9])
      traceLeaf(path, px, py, here + side, size, size * 0.2);
    const nextX = px + Math.cos(here) * (long / pairs);
    const nextY = py + Math.sin(here) * (long / pairs);
    traceLeaf(path, px, py, here, (long / pairs) * 1.25, long * 0.012);
    px = nextX;
    py = nextY;
  }
}

/** Traces a star with five points. */
export function traceStar(path: Path2D, x: number, y: number, radius: number, turned: number): void {
  for (let point = 0; point < 10; point++) {
    const reach = point % 2 ? radius * 0.42 : radius;
    const angle = turned + (point / 10) * Math.PI * 2;
    if (point === 0) path.moveTo(x + Math.cos(angle) * reach, y + Math.sin(angle) * reach);
    else path.lineTo(x + Math.cos(angle) * reach, y + Math.sin(angle) * reach);
  }
  path.closePath();
}
