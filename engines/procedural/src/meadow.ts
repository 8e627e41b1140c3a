import type { SKRSContext2D } from '@napi-rs/canvas';
import { clamp, css, mix } from './colour.ts';
import { createNoise } from './noise.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';
import { createStrokeBatch } from './stroke-batch.ts';

/** Paints tufts of grass over the near ground, smaller with distance, so that a meadow is more than a green area. */
export function paintGrass(context: SKRSContext2D, scene: Scene): void {
  if (scene.water !== 'none' || scene.land === 'dunes' || scene.land === 'canyon') return;
  const { width, height, unit, palette, horizon, look } = scene;
  const random = scene.random.fork('tufts');
  const noise = createNoise(random);
  const count = Math.round(1500 * Math.max(0.6, scene.aspect) * (0.4 + look.detail));
  const winter = scene.mood.season === 'winter' || scene.mood.weather.snow > 0.3;
  const own = winter ? mix(palette.ambient, palette.snow, 0.4) : palette.foliage;
  const lit = mix({ ...own, l: own.l * (0.3 + palette.exposure * 0.75) }, palette.light, 0.26);
  const dark = mix({ ...own, l: own.l * (0.15 + palette.exposure * 0.4) }, palette.dark, 0.35);
  // Five distances with six tones each: a thousand tufts then take only thirty stroke calls.
  const styles = Array.from({ length: 6 }, (_, distance) =>
    Array.from({ length: 6 }, (__, step) => {
      const near = (distance + 0.5) / 5;
      return css(mix(mix(dark, lit, step / 5), palette.haze, clamp(1 - near) * 0.4), 0.3 + near * 0.5);
    }),
  );
  const tufts = createStrokeBatch(context);
  const spots = Array.from({ length: count }, () => ({ x: random.next(), near: random.next() ** 1.5 })).sort(
    (a, b) => a.near - b.near,
  );
  context.save();
  context.lineCap = 'round';
  for (const { x, near } of spots) {
    const y = horizon + 0.05 + near * (1 - horizon - 0.04);
    const depth = 1 / (y - horizon);
    const patch = noise.fbm((x - 0.5) * depth * 0.7, depth * 0.9, 3);
    const tone = Math.round(clamp(0.5 + patch * 1.1 + random.range(-0.3, 0.3)) * 5);
    const tall = unit * (2.5 + near * 21) * random.range(0.6, 1.3);
    const lean = (random.gaussian() * 0.35 + 0.2 + scene.mood.weather.wind * 0.5) * tall * 0.7;
    const [px, py] = [x * width, y * height];
    const curve = [px, py, px + lean * 0.2, py - tall * 0.6, px + lean, py - tall] as const;
    tufts.add(styles[Math.floor(near * 5)]?.[tone] ?? '#000', unit * (0.8 + near * 1.7), curve);
  }
  tufts.flush();
  context.restore();
}

/** Paints flowers over the meadow: small and dense far away, single flowers near the viewer. */
export function paintFlowers(context: SKRSContext2D, scene: Scene): void {
  const asked = scene.mood.places.has('flowers');
  if (!asked && !(scene.land === 'plain' && scene.mood.season !== 'winter')) return;
  if (scene.land === 'dunes' || scene.land === 'sea' || scene.land === 'canyon' || scene.water !== 'none')
    return;
  const { width, height, unit, horizon } = scene;
  const random = scene.random.fork('flowers');
  const noise = createNoise(random);
  const count = Math.round(
    (asked ? 2600 : 520) * clamp(scene.aspect, 0.5, 2) * (0.5 + scene.look.detail * 0.8),
  );
  const { tones, darks } = bloomTones(scene);
  const spots = Array.from({ length: count }, () => ({ x: random.next(), near: random.next() ** 1.7 })).sort(
    (a, b) => a.near - b.near,
  );
  for (const { x, near } of spots) {
    const y = horizon + 0.035 + near * (1.02 - horizon - 0.035);
    const depth = 1 / (y - horizon);
    if (noise.fbm((x - 0.5) * depth * 0.9, depth * 0.8, 3) < (asked ? -0.16 : 0.06)) continue;
    const size = unit * (1.2 + near * near * 9) * random.range(0.7, 1.25);
    const tone = random.chance(0.62) ? 0 : random.int(tones.length);
    drawBloom(
      context,
      x * width,
      y * height,
      size,
      tones[tone] ?? '#fff',
      darks[tone] ?? '#fff',
      near,
      random,
    );
  }
}

function bloomTones({ palette }: Scene): { tones: string[]; darks: string[] } {
  const dim = 0.42 + palette.exposure * 0.56;
  const kinds = [
    palette.blossom,
    mix(palette.blossom, palette.snow, 0.55),
    { ...palette.blossom, h: palette.blossom.h + 26 },
    palette.accent,
  ];
  const tones = kinds.map((kind) => css(mix({ ...kind, l: clamp(kind.l * dim) }, palette.light, 0.12)));
  const darks = kinds.map((kind) =>
    css(mix({ ...kind, l: clamp(kind.l * dim * 0.66) }, palette.ambient, 0.2)),
  );
  return { tones, darks };
}

/**
 * Paints single flowers on the bank at the viewer's feet. `bank` returns the bank's row for a column, as shares of the
 * frame.
 */
export function paintBankFlowers(context: SKRSContext2D, scene: Scene, bank: (x: number) => number): void {
  if (!scene.mood.places.has('flowers')) return;
  const random = scene.random.fork('bank flowers');
  const { tones, darks } = bloomTones(scene);
  const count = Math.round(90 * scene.aspect * (0.5 + scene.look.detail));
  for (let bloom = 0; bloom < count; bloom++) {
    const x = random.next();
    const deep = random.next();
    const y = bank(x) - 0.012 + deep * 0.07;
    const tone = random.chance(0.65) ? 0 : random.int(tones.length);
    const size = scene.unit * (5 + deep * 6) * random.range(0.7, 1.3);
    drawBloom(
      context,
      x * scene.width,
      y * scene.height,
      size,
      tones[tone] ?? '',
      darks[tone] ?? '',
      1,
      random,
    );
  }
}

function drawBloom(
  context: SKRSContext2D,
  x: number,
  y: number,
  size: number,
  tone: string,
  dark: string,
  near: number,
  random: Random,
): void {
  if (near < 0.35) {
    context.fillStyle = tone;
    context.fillRect(x, y, size * 1.5, size);
    return;
  }
  context.fillStyle = dark;
  context.beginPath();
  context.ellipse(x, y + size * 0.2, size, size * 0.62, 0, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = tone;
  const petals = near > 0.7 ? 5 : 3;
  const turn = random.next() * 3;
  for (let petal = 0; petal < petals; petal++) {
    const angle = turn + (petal / petals) * Math.PI * 2;
    context.beginPath();
    context.ellipse(
      x + Math.cos(angle) * size * 0.5,
      y + Math.sin(angle) * size * 0.3,
      size * 0.5,
      size * 0.36,
      angle,
      0,
      Math.PI * 2,
    );
    context.fill();
  }
}
