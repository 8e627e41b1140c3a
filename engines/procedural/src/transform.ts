import { clamp, smoothstep } from './colour.ts';
import type { Bitmap } from './encode.ts';
import { finishCanvas } from './finish.ts';
import { type ProceduralModel, PAINTERS } from './models.ts';
import { createNoise } from './noise.ts';
import { toRaster } from './image.ts';
import { sampleField, shrinkRaster, type Field, type Raster } from './raster.ts';
import { REDRAWERS } from './redraw.ts';
import type { Scene } from './scene.ts';
import { matchTones } from './tone-match.ts';

/** The three pictures of a transform, all of one size. */
export interface Stages {
  readonly source: Bitmap;
  /** The source in the model's style and, as far as requested, in the colours of the words. */
  readonly redrawn: Bitmap;
  /** The picture that the model draws from the words alone. */
  readonly fresh: Bitmap;
}

/** Paints the picture for the words alone, at the scene's size. */
export function paintFresh(scene: Scene, model: ProceduralModel): Bitmap {
  return finishCanvas(PAINTERS[model](scene), finishOf(scene, 0.5));
}

/** Redraws a picture in the model's style. `strength`: how far its colours follow those of `fresh`. */
export function redraw(
  source: Bitmap,
  fresh: Bitmap | null,
  scene: Scene,
  model: ProceduralModel,
  strength: number,
): Bitmap {
  const picture = toRaster(source);
  // Nocturne turns day into night by itself. A full colour change in addition would be too dark.
  const pace = model === 'nocturne' ? COLOUR_PACE / 4 : COLOUR_PACE;
  if (fresh !== null) matchTones(picture, fresh, Math.min(1, strength * pace));
  return finishCanvas(REDRAWERS[model](picture, scene), finishOf(scene, 0.3));
}

/** The source's colours are replaced before its forms, because the remaining parts must fit the new light. */
const COLOUR_PACE = 1.1;

const finishOf = (scene: Scene, vignette: number) => ({
  grain: scene.look.grain ? 1 : 0,
  vignette,
  contrast: 0.86 + scene.look.weight * 0.14,
  brush: scene.look.brush,
  random: scene.random,
});

/**
 * Mixes the three pictures. As `strength` (0–1) grows, the source first becomes its copy in the model's style. Then the
 * new picture replaces it, beginning with the least important places. `keep` (0–1) limits this second part. `cut` makes
 * a sharp edge between the pictures instead of a gradual transition.
 */
export function giveWay(
  { source, redrawn, fresh }: Stages,
  scene: Scene,
  strength: number,
  { keep, cut }: { keep: number; cut: boolean },
): Bitmap {
  const { width, height } = source;
  const bytes = Buffer.allocUnsafe(source.bytes.length);
  const hand = smoothstep(-0.12, 0.62, strength);
  const share = clamp((strength - 0.28) / 0.72) ** 1.15 * 0.97 * (1 - keep);
  const order = orderOfLeaving(shrinkRaster(toRaster(source), ORDER_SIDE), scene);
  const softness = cut ? SOFTNESS / 60 : SOFTNESS;
  const reach = share * (1 + 2 * softness) - softness;
  const edge = createNoise(scene.random.fork('edge'));
  const shares = new Float32Array(width);
  for (let row = 0; row < height; row++) {
    if (share > 0) shareRow(shares, order, edge, row / height, [reach - softness, reach + softness], scene);
    mixRow(bytes, source.bytes, redrawn.bytes, fresh.bytes, shares, hand, row * width * 3);
  }
  return { width, height, bytes };
}

const ORDER_SIDE = 120;
/** How gradually places are replaced, as a share of all places. */
const SOFTNESS = 0.24;

function shareRow(
  shares: Float32Array,
  order: Field,
  edge: ReturnType<typeof createNoise>,
  y: number,
  [low, high]: readonly [number, number],
  scene: Scene,
): void {
  for (let column = 0; column < shares.length; column++) {
    const x = column / shares.length;
    const bend = edge.fbm(x * scene.aspect * 9, y * 9, 3) * 0.07;
    const rank = sampleField(order, x + bend * 0.4, y + bend) + bend;
    shares[column] = 1 - smoothstep(low, high, rank);
  }
}

function mixRow(
  out: Buffer,
  source: Buffer,
  redrawn: Buffer,
  fresh: Buffer,
  shares: Float32Array,
  hand: number,
  first: number,
): void {
  for (let column = 0, index = first; column < shares.length; column++) {
    const share = shares[column] ?? 0;
    for (let channel = 0; channel < 3; channel++, index++) {
      const old = source[index] ?? 0;
      const own = old + ((redrawn[index] ?? 0) - old) * hand;
      out[index] = Math.round(own + ((fresh[index] ?? 0) - own) * share);
    }
  }
}

/**
 * Returns when each place is replaced: 0 first, 1 last, evenly distributed. Plain places and places near the rim are
 * replaced first.
 */
function orderOfLeaving(small: Raster, scene: Scene): Field {
  const { width, height, data } = small;
  const noise = createNoise(scene.random.fork('leaving'));
  const values = new Float32Array(width * height);
  const tone = (x: number, y: number) => {
    const index = (clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)) * 3;
    return (data[index] ?? 0) * 0.3 + (data[index + 1] ?? 0) * 0.55 + (data[index + 2] ?? 0) * 0.15;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const busy = Math.abs(tone(x + 1, y) - tone(x - 1, y)) + Math.abs(tone(x, y + 1) - tone(x, y - 1));
      const away = Math.hypot((x / width - 0.5) * 1.1, y / height - 0.5);
      values[y * width + x] =
        Math.sqrt(busy) * 0.5 -
        away +
        noise.fbm((x / width) * scene.aspect * 2.2, (y / height) * 2.2, 2) * 0.5;
    }
  }
  return { width, height, data: ranksOf(averaged(averaged(values, width, height), width, height)) };
}

const NEAR = 4;

/**
 * Averages with a box along rows, then along columns, so that forms are replaced as a whole instead of line by line.
 */
function averaged(values: Float32Array, width: number, height: number): Float32Array {
  const pass = (from: Float32Array, count: number, lines: number, step: number, stride: number) => {
    const out = new Float32Array(from.length);
    for (let line = 0; line < lines; line++) {
      for (let at = 0; at < count; at++) {
        let sum = 0;
        for (let shift = -NEAR; shift <= NEAR; shift++)
          sum += from[line * stride + clamp(at + shift, 0, count - 1) * step] ?? 0;
        out[line * stride + at * step] = sum / (2 * NEAR + 1);
      }
    }
    return out;
  };
  return pass(pass(values, width, height, 1, width), height, width, width, 1);
}

function ranksOf(values: Float32Array): Float32Array {
  const order = Array.from(values.keys()).sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
  const ranks = new Float32Array(values.length);
  for (const [rank, index] of order.entries()) ranks[index] = rank / values.length;
  return ranks;
}
