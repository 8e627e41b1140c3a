import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import { paintAurora, paintLuminary, paintStars } from './celestial.ts';
import { paintSkyline } from './city.ts';
import { css, mix, shade, type Colour } from './colour.ts';
import { paintForeground } from './foreground.ts';
import { bloom } from './glow.ts';
import { choosePalette } from './palette.ts';
import { choosePlanet, paintPlanet } from './planet.ts';
import { createRandom } from './random.ts';
import { fromCanvas, toCanvas } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintNebula } from './space.ts';
import { paintWater } from './water.ts';
import { paintLightning, paintWeather } from './weather.ts';

/** Cinematic nights: cities on dark water, open space, moonlit land. */
export function paintNocturne(day: Scene): Canvas {
  const scene = afterDark(day);
  const { places } = scene.mood;
  const asked = [...places].filter((place) => place !== 'person' && place !== 'abstract');
  const choice = createRandom(`nocturne\u0000${asked.join()}${scene.random.fork('choice').int(3)}`);
  const canvas = places.has('city')
    ? paintCityNight(scene)
    : places.has('space') || places.has('planet')
      ? paintOpenSpace(scene)
      : asked.length > 0
        ? paintNightLand(scene)
        : choice.pick([paintCityNight, paintOpenSpace, paintNightLand])(scene);
  bloom(canvas, 0.5 + scene.look.weight * 0.18);
  paintWeather(canvas.getContext('2d'), scene);
  return canvas;
}

/** The same picture at night: the sun becomes a moon, the palette a nocturnal one; dusk may stay. */
function afterDark(scene: Scene): Scene {
  const time = scene.palette.time === 'sunset' || scene.palette.time === 'dusk' ? 'dusk' : 'night';
  const random = scene.random.fork('nocturne');
  const covered = scene.mood.weather.storm > 0 || scene.mood.sky.has('aurora');
  return {
    ...scene,
    palette: choosePalette(scene.mood, scene.look, time, random),
    stars: Math.max(scene.stars, time === 'night' ? 0.8 : 0.45),
    sun: {
      ...scene.sun,
      kind: scene.sun.kind === 'crescent' ? 'crescent' : 'moon',
      visible: !covered,
      y: scene.horizon * random.range(0.24, 0.46),
      radius: random.range(0.05, 0.1),
    },
    things: scene.things,
  };
}

function paintCityNight(city: Scene): Canvas {
  const scene: Scene = {
    ...city,
    horizon: city.random.fork('quay').range(0.66, 0.74),
    water: 'sea',
    land: 'sea',
  };
  const { palette, width, height, mood } = scene;
  const raster = paintSky(scene);
  paintLuminary(raster, scene);
  const { canvas, context } = toCanvas(raster);
  paintStars(context, scene, scene.horizon * 0.7);
  const ground = Math.round(scene.horizon * height);
  const neon = neonColours(scene);
  warmHorizon(context, scene, ground, neon[0] ?? palette.accent);
  const lamp: Colour = { l: 0.88, c: 0.1, h: 78 };
  paintSkyline(context, scene, {
    ground,
    lit: 0.62 + scene.look.detail * 0.35,
    windows: [
      lamp,
      { l: 0.93, c: 0.05, h: 95 },
      { l: 0.86, c: 0.07, h: 230 },
      ...neon.map((tone) => shade(tone, 1.1)),
    ],
    neon: mood.chroma > -0.2 ? neon : neon.slice(0, 1),
    far: mix(palette.sky[3], neon[0] ?? palette.accent, 0.16),
    near: shade(palette.dark, 0.85),
  });
  const mirror = fromCanvas(canvas);
  const water = new Uint8Array(width * height);
  water.fill(1, ground * width);
  paintWater(mirror, { water }, { ...scene, sun: { ...scene.sun, visible: scene.sun.visible } });
  return toCanvas(mirror).canvas;
}

function neonColours(scene: Scene): Colour[] {
  const { mood, palette } = scene;
  const mono = palette.accent.c < 0.03;
  const chroma = mono ? 0.01 : scene.look.palette === 'pastel' ? 0.11 : 0.21;
  const named = mood.colours.filter(({ c }) => c > 0.04).map(({ h }) => h);
  const first = named[0] ?? scene.random.fork('neon').pick([345, 200, 300, 25]);
  const second = named[1] ?? first + scene.random.fork('neon 2').pick([150, -140, 95]);
  return [first, second, first + 40].map((h) => ({ l: 0.72, c: chroma, h }));
}

/** The city's own light in the air above it. */
function warmHorizon(context: SKRSContext2D, scene: Scene, ground: number, tone: Colour): void {
  const { width, height } = scene;
  const light = context.createRadialGradient(
    scene.focus * width,
    ground,
    0,
    scene.focus * width,
    ground,
    height * 0.62,
  );
  const warm = mix(tone, scene.palette.glow, 0.35);
  light.addColorStop(0, css({ ...warm, l: 0.66 }, 0.62));
  light.addColorStop(0.4, css({ ...warm, l: 0.5 }, 0.24));
  light.addColorStop(1, css({ ...warm, l: 0.4 }, 0));
  context.fillStyle = light;
  context.fillRect(0, 0, width, ground);
}

function paintOpenSpace(scene: Scene): Canvas {
  const random = scene.random.fork('space');
  const raster = paintNebula(scene);
  const stars: Scene = { ...scene, stars: 1, sun: { ...scene.sun, visible: false } };
  const { canvas: sky, context } = toCanvas(raster);
  paintStars(context, stars, 1.6);
  const lit = fromCanvas(sky);
  const [x, y] = [scene.focus, random.range(0.4, 0.6)];
  const radius = random.range(0.2, 0.3);
  if (random.chance(0.7)) {
    const moon = choosePlanet(
      scene,
      random.fork('moon'),
      1 - x + random.range(-0.1, 0.1),
      random.range(0.18, 0.34),
      random.range(0.035, 0.07),
    );
    paintPlanet(lit, { ...moon, rings: false, kind: 'rocky', light: -2.4 }, random.fork('moon'));
  }
  paintPlanet(
    lit,
    { ...choosePlanet(scene, random.fork('planet'), x, y, radius), light: -2.4 },
    random.fork('planet'),
  );
  return toCanvas(lit).canvas;
}

function paintNightLand(scene: Scene): Canvas {
  const raster = paintSky(scene);
  paintAurora(raster, scene);
  paintLuminary(raster, scene);
  const { canvas: sky, context } = toCanvas(raster);
  paintStars(context, scene, scene.horizon);
  paintLightning(context, scene);
  const land = fromCanvas(sky);
  const relief = paintRelief(land, scene);
  paintWater(land, relief, scene);
  const { canvas, context: front } = toCanvas(land);
  paintForeground(front, scene);
  return canvas;
}
