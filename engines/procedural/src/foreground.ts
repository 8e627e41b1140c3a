import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, shade, smoothstep, type Colour } from './colour.ts';
import { paintBankFlowers } from './meadow.ts';
import { createNoise } from './noise.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';
import { createStrokeBatch } from './stroke-batch.ts';
import { paintWanderer } from './things.ts';
import { drawTree, type TreePaint } from './trees.ts';

/** Paints rows of trees in the middle distance, each behind its own haze: the inside of a forest. */
export function paintGrove(context: SKRSContext2D, scene: Scene): void {
  const { tree, mood, water, width, height, horizon, palette } = scene;
  if (!mood.places.has('forest') || tree === null || water !== 'none') return;
  const random = scene.random.fork('grove');
  const near = treePaint(scene);
  const air = mix(palette.haze, palette.sky[3], 0.4);
  const thick = 0.55 + mood.weather.fog * 0.35;
  for (const [row, [count, tall, foot]] of (
    [
      [15, 0.15, 0.06],
      [11, 0.23, 0.11],
      [8, 0.33, 0.19],
    ] as const
  ).entries()) {
    const veil = (1 - row / 3) * thick;
    const paint: TreePaint = {
      ...near,
      wood: mix(near.wood, air, veil),
      dark: mix(near.dark, air, veil),
      lit: mix(near.lit, air, veil),
    };
    for (let index = 0; index < count * Math.max(0.7, scene.aspect); index++) {
      const x = (index + random.range(-0.6, 0.6)) / (count * Math.max(0.7, scene.aspect));
      // A clearing around the focus opens the view.
      const clearing = Math.exp(-(((x - scene.focus) / 0.13) ** 2));
      if (random.chance(clearing * 0.9)) continue;
      const size = tall * random.range(0.65, 1.2) * (1 - clearing * 0.4);
      drawTree(
        context,
        tree,
        x * width,
        (horizon + foot + random.range(-0.012, 0.012)) * height,
        size * height,
        paint,
        random,
      );
    }
    const top = (horizon + foot - tall * 0.55) * height;
    const mist = context.createLinearGradient(0, top, 0, (horizon + foot + 0.06) * height);
    mist.addColorStop(0, css(air, 0));
    mist.addColorStop(0.75, css(air, 0.5 * thick));
    mist.addColorStop(1, css(air, 0));
    context.fillStyle = mist;
    context.fillRect(0, top, width, (horizon + foot + 0.06) * height - top);
  }
}

/** Paints the bank at the viewer's feet with its plants: a dark frame that adds depth to the picture. */
export function paintForeground(context: SKRSContext2D, scene: Scene): void {
  if ((scene.land === 'dunes' || scene.land === 'canyon') && scene.tree === null) return;
  const random = scene.random.fork('foreground');
  const bank = shapeBank(scene, random);
  const trees = planTrees(scene, random);
  for (const { x, size, kind } of trees) {
    const y = bank(x) + size * 0.02;
    drawTree(
      context,
      kind,
      x * scene.width,
      y * scene.height + 2,
      size * scene.height,
      treePaint(scene),
      random.fork(`tree ${x}`),
    );
  }
  fillBank(context, scene, bank);
  if (scene.mood.places.has('person')) {
    const x = 0.5 + (scene.focus - 0.5) * random.range(0.5, 0.9);
    const size = Math.min(scene.width, scene.height) * 0.2;
    paintWanderer(context, scene, x * scene.width, (bank(x) + 0.012) * scene.height, size);
  }
  growGrass(context, scene, bank, random.fork('grass'));
  paintBankFlowers(context, scene, bank);
}

/** Returns the row where the bank begins for a column, as shares of height and width. */
type Bank = (x: number) => number;

function shapeBank(scene: Scene, random: Random): Bank {
  const noise = createNoise(random.fork('bank'));
  const side = scene.focus < 0.5 ? 1 : -1;
  const open = scene.water === 'sea' && scene.tree === null;
  const level = open ? 1.02 : scene.land === 'plain' ? 0.965 : random.range(0.925, 0.96);
  const rise = open ? 0.02 : random.range(0.04, 0.1);
  return (x) => {
    const away = side > 0 ? x : 1 - x;
    return level - rise * smoothstep(0.35, 1.05, away) + noise.fbm(x * scene.aspect * 3.2, 0.7, 4) * 0.028;
  };
}

interface Planted {
  readonly x: number;
  readonly size: number;
  readonly kind: NonNullable<Scene['tree']>;
}

/** Plants a group of trees on the side away from the focus, and sometimes a smaller group on the other side. */
function planTrees(scene: Scene, random: Random): Planted[] {
  const { tree, mood } = scene;
  if (tree === null) return [];
  const asked = mood.places.has('forest') || mood.tree !== null;
  if (
    !asked &&
    (scene.land === 'plain' || scene.land === 'sea') &&
    random.chance(scene.land === 'sea' ? 0.55 : 0.2)
  )
    return [];
  const side = scene.focus < 0.5 ? 1 : -1;
  const dense = tree === 'conifer';
  const count = dense
    ? random.int(4) + (asked ? 6 : 3)
    : tree === 'palm'
      ? 2 + random.int(2)
      : 1 + random.int(2) + (asked ? 1 : 0);
  const tall = dense ? random.range(0.42, 0.66) : tree === 'cactus' ? 0.5 : random.range(0.5, 0.68);
  const trees = Array.from({ length: count }, (_, index): Planted => {
    const place = dense
      ? random.next() ** 1.5 * 0.36 - 0.03
      : 0.06 + index * random.range(0.13, 0.2) * (tree === 'palm' ? 0.7 : 1);
    const x = side > 0 ? 1 - place : place;
    const size =
      tall * (dense ? (1 - place * 1.3) * random.range(0.6, 1.05) : 1 - index * random.range(0.3, 0.45));
    return { x, size: Math.max(0.12, size), kind: tree };
  });
  if (dense && random.chance(0.6)) {
    for (let extra = 0; extra < 3; extra++) {
      const place = random.range(-0.02, 0.13);
      trees.push({ x: side > 0 ? place : 1 - place, size: random.range(0.14, 0.3), kind: tree });
    }
  }
  // Tall trees stand behind.
  return trees.sort((one, other) => other.size - one.size);
}

export function treePaint(scene: Scene): TreePaint {
  const { palette, tree } = scene;
  const leaf: Colour = tree === 'blossom' ? palette.blossom : palette.foliage;
  const showy = tree === 'blossom' ? 1 : scene.mood.season === 'autumn' ? 0.5 : 0;
  const dim = 0.16 + showy * 0.39 + palette.exposure * (0.42 + showy * 0.08);
  return {
    wood: mix(palette.dark, palette.rock, 0.12 * palette.exposure),
    dark: mix(
      palette.dark,
      { ...leaf, l: leaf.l * 0.4 },
      showy * 0.45 + 0.22 * palette.exposure * (1 - showy) + 0.1,
    ),
    lit: mix({ ...leaf, l: leaf.l * dim }, { ...palette.light, l: palette.light.l * dim }, 0.22),
    lightFrom: scene.sun.x < 0.5 ? -1 : 1,
  };
}

function fillBank(context: SKRSContext2D, scene: Scene, bank: Bank): void {
  const { width, height, palette } = scene;
  const fill = context.createLinearGradient(0, height * 0.86, 0, height);
  // By day the bank is coloured like the other land. Towards night it becomes a silhouette.
  const day = smoothstep(0.5, 0.8, palette.exposure);
  const near = scene.land === 'canyon' || scene.land === 'dunes' ? palette.sand : palette.foliage;
  const top = mix(palette.dark, { ...near, l: near.l * palette.exposure * 0.75 }, 0.22 + day * 0.5);
  fill.addColorStop(0, css(top));
  fill.addColorStop(1, css(mix(shade(palette.dark, 0.85), { ...near, l: near.l * 0.4 }, day * 0.4)));
  context.fillStyle = fill;
  context.beginPath();
  context.moveTo(-2, height + 2);
  for (let step = 0; step <= 96; step++) context.lineTo((step / 96) * width, bank(step / 96) * height);
  context.lineTo(width + 2, height + 2);
  context.fill();
}

function growGrass(context: SKRSContext2D, scene: Scene, bank: Bank, random: Random): void {
  const { width, height, unit, palette, look, mood } = scene;
  const rocky = scene.land === 'canyon' || scene.land === 'dunes' || scene.land === 'volcano';
  const winter = mood.season === 'winter';
  const blades = Math.round((rocky ? 120 : 620) * scene.aspect * (0.45 + look.detail * 0.9));
  const lit = mix(
    { ...palette.foliage, l: palette.foliage.l * (0.2 + palette.exposure * 0.6) },
    palette.light,
    0.22,
  );
  const tones = [0, 0.22, 0.5, 0.8].map((t) =>
    css(
      mix(
        palette.dark,
        winter ? mix(lit, palette.snow, 0.3) : lit,
        t * (0.4 + palette.exposure * 0.7) + smoothstep(0.5, 0.8, palette.exposure) * 0.15,
      ),
    ),
  );
  const bend = 0.25 + mood.weather.wind * 0.6;
  const grass = createStrokeBatch(context);
  context.lineCap = 'round';
  for (let blade = 0; blade < blades; blade++) {
    const x = random.next();
    const y = bank(x) + random.next() ** 2 * 0.06;
    const tall = unit * random.range(9, 34) * (random.chance(0.06) ? 1.9 : 1);
    const lean = (random.gaussian() * 0.3 + bend) * tall * 0.6;
    const [px, py] = [x * width, y * height];
    const curve = [px, py + tall * 0.2, px + lean * 0.2, py - tall * 0.6, px + lean, py - tall] as const;
    grass.add(tones[random.int(tones.length)] ?? '#000', unit * random.range(0.9, 2.1), curve);
  }
  grass.flush();
}
