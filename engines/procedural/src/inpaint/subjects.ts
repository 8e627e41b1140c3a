import type { SKRSContext2D } from '@napi-rs/canvas';
import { paintLuminary, paintStars } from '../celestial.ts';
import { drawFigure } from '../figures.ts';
import { imagineFigure } from '../figure.ts';
import { treePaint } from '../foreground.ts';
import type { TreeKind } from '../lexicon.ts';
import { paintFlowers } from '../meadow.ts';
import type { Mood } from '../prompt-mood.ts';
import { choosePlanet, paintPlanet } from '../planet.ts';
import type { Raster } from '../raster.ts';
import type { Scene } from '../scene.ts';
import { drawCastle, drawHouse, drawLighthouse, drawMirroredBoat, paintWanderer } from '../things.ts';
import { drawTree } from '../trees.ts';
import { paintLightning, paintWeather } from '../weather.ts';
import type { Box } from './hole.ts';

/** One thing that a prompt can put into a hole. Boxes are in the pixels of the target picture. */
export interface Subject {
  /** Width over height of its box; null if it spreads over the whole hole. */
  readonly aspect: number | null;
  /** True if it floats in the middle of the hole. Otherwise it stands at the bottom. */
  readonly floats?: boolean;
  /** True if its base is wide and must sink into the ground. */
  readonly sinks?: boolean;
  /** Adds to the light of the picture, before subjects are drawn in front. */
  readonly glow?: (raster: Raster, scene: Scene, box: Box) => void;
  readonly draw?: (context: SKRSContext2D, scene: Scene, box: Box) => void;
}

const footOf = ({ left, top, width, height }: Box) => ({ x: left + width / 2, ground: top + height });

const CASTLE: Subject = {
  aspect: 0.9,
  sinks: true,
  draw: (context, scene, box) =>
    drawCastle(context, scene, {
      ...footOf(box),
      size: box.height * 0.68,
      random: scene.random.fork('castle'),
    }),
};

const LIGHTHOUSE: Subject = {
  aspect: 0.28,
  sinks: true,
  draw: (context, scene, box) => {
    const { x, ground } = footOf(box);
    drawLighthouse(context, scene, x, ground, box.height / 1.22);
  },
};

const VILLAGE: Subject = {
  aspect: 1.7,
  sinks: true,
  draw: (context, scene, box) => {
    const random = scene.random.fork('village');
    const size = box.height / 2.5;
    for (const [index, share] of [0.5, 0.18, 0.82, 0.34, 0.68].entries())
      drawHouse(
        context,
        scene,
        {
          x: box.left + share * box.width,
          ground: box.top + box.height * (0.9 + index * 0.02),
          size,
          random,
        },
        { far: 0.25 - index * 0.05, church: index === 0 },
      );
  },
};

const BOAT: Subject = {
  aspect: 0.68,
  draw: (context, scene, box) =>
    drawMirroredBoat(context, scene, {
      x: box.left + box.width / 2,
      ground: box.top + box.height * 0.72,
      size: box.height * 0.7,
      random: scene.random.fork('boat'),
    }),
};

const PLANET: Subject = {
  aspect: 1,
  floats: true,
  glow: (raster, scene, { left, top, width, height }) => {
    const random = scene.random.fork('planet');
    const planet = choosePlanet(scene, random, 0.5, 0.5, 0.2);
    const radius = width / (planet.rings ? 4.7 : 2.7);
    paintPlanet(raster, { ...planet, x: left + width / 2, y: top + height / 2, radius }, random);
  },
};

const LUMINARY: Subject = {
  aspect: 1,
  floats: true,
  glow: (raster, scene, box) =>
    paintLuminary(raster, {
      ...scene,
      sun: {
        ...scene.sun,
        kind: scene.mood.sky.has('crescent') ? 'crescent' : scene.mood.sky.has('moon') ? 'moon' : 'sun',
        visible: true,
        x: (box.left + box.width / 2) / raster.width,
        y: (box.top + box.height / 2) / raster.height,
        // The halo reaches four and a half radii, but beyond three it is hardly visible.
        radius: box.width / 6 / Math.min(raster.width, raster.height),
      },
    }),
};

/** A person from the chest up, as on a poster. */
const BUST: Subject = {
  aspect: 0.86,
  draw: (context, scene, box) => {
    const head = box.height / 2.45;
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.width, box.height);
    context.clip();
    context.translate(box.left + box.width / 2, box.top + head * 0.85);
    context.scale(head, head);
    drawFigure(context, imagineFigure(scene));
    context.restore();
  },
};

/** A small person standing in the picture, seen from behind. */
const WANDERER: Subject = {
  aspect: 0.4,
  draw: (context, scene, box) => {
    const { x, ground } = footOf(box);
    paintWanderer(context, scene, x, ground, box.height);
  },
};

const TREES: Readonly<Record<TreeKind, number>> = {
  conifer: 0.42,
  broadleaf: 0.85,
  palm: 0.8,
  cactus: 0.55,
  blossom: 0.85,
  bare: 0.8,
};

const treeOf = (kind: TreeKind): Subject => ({
  aspect: TREES[kind],
  draw: (context, scene, box) => {
    const { x, ground } = footOf(box);
    const tall = kind === 'cactus' ? box.height / 0.6 : box.height * 0.94;
    drawTree(context, kind, x, ground, tall, treePaint({ ...scene, tree: kind }), scene.random.fork('tree'));
  },
});

/** Flowers as on a meadow, small and dense at the top, single flowers below. */
const FLOWERS: Subject = {
  aspect: null,
  draw: (context, scene) =>
    paintFlowers(context, { ...scene, land: 'plain', water: 'none', horizon: -0.1, unit: scene.unit * 2 }),
};

const BIRDS: Subject = {
  aspect: 1.6,
  floats: true,
  draw: (context, scene, box) => {
    const weather = { ...scene.mood.weather, rain: 0, snow: 0 };
    const { width, height } = box;
    context.save();
    context.translate(box.left, box.top);
    // Half the wingspan of a bird is 7–17 units. A unit is normally 1/1000 of the shorter side; here it is larger.
    const unit = Math.min(width, height) / 420;
    paintWeather(context, {
      ...scene,
      mood: { ...scene.mood, weather },
      width,
      height,
      unit,
      horizon: 1,
      focus: 0.5,
    });
    context.restore();
  },
};

const LIGHTNING: Subject = {
  aspect: null,
  draw: (context, scene) => paintLightning(context, { ...scene, focus: 0.5, horizon: 1 }),
};

const STARS: Subject = {
  aspect: null,
  draw: (context, scene) => paintStars(context, { ...scene, stars: 1 }, 1.3),
};

const FALLING: Subject = { aspect: null, draw: paintWeather };

/** Returns the things that the words name, from back to front. `atFoot`: the hole ends with the picture. */
export function subjectsOf(mood: Mood, atFoot: boolean): Subject[] {
  const { places, sky, traits, weather } = mood;
  const found: Subject[] = [];
  if (sky.has('stars') || sky.has('galaxy')) found.push(STARS);
  if (places.has('planet')) found.push(PLANET);
  else if (sky.has('sun') || sky.has('moon') || sky.has('crescent')) found.push(LUMINARY);
  if (sky.has('lightning')) found.push(LIGHTNING);
  if (places.has('castle')) found.push(CASTLE);
  if (places.has('lighthouse')) found.push(LIGHTHOUSE);
  if (places.has('village')) found.push(VILLAGE);
  if (places.has('flowers') && mood.tree !== 'blossom') found.push(FLOWERS);
  if (mood.tree !== null) found.push(treeOf(mood.tree));
  else if (places.has('forest')) found.push(treeOf(mood.season === 'winter' ? 'conifer' : 'broadleaf'));
  if (places.has('boat')) found.push(BOAT);
  if (places.has('person'))
    found.push(atFoot || NEAR_TRAITS.some((trait) => traits.has(trait)) ? BUST : WANDERER);
  if (places.has('birds')) found.push(BIRDS);
  else if (weather.rain > 0 || weather.snow > 0.3) found.push(FALLING);
  return found;
}

/** Traits that are not visible on a person far away. */
const NEAR_TRAITS = ['animal-ears', 'robot', 'helmet', 'glasses', 'crown', 'earrings'] as const;
