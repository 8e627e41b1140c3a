import type { Canvas } from '@napi-rs/canvas';
import { paintStrokes } from './brush.ts';
import { paintAurora, paintLuminary, paintStars } from './celestial.ts';
import { paintCityscape } from './cityscape.ts';
import { paintDrift } from './drift.ts';
import { paintForeground, paintGrove } from './foreground.ts';
import { paintFlowers, paintGrass } from './meadow.ts';
import { paintOpenSpace } from './open-space.ts';
import { choosePlanet, paintPlanet } from './planet.ts';
import { toCanvas, type Raster } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintThings } from './things.ts';
import { paintWater } from './water.ts';
import { paintLightning, paintWeather } from './weather.ts';

/** Paints painterly pictures: lit terrain in hazy air, in brush strokes. */
export function paintAtelier(scene: Scene): Canvas {
  const { places } = scene.mood;
  if (places.has('city')) return paintOver(paintCityscape(scene), scene);
  const landless = [...places].every(
    (place) => place === 'space' || place === 'planet' || place === 'person',
  );
  if (places.has('space') && landless) return paintOver(paintOpenSpace(scene), scene);
  if (places.has('abstract')) return paintOver(paintDrift(scene), scene);
  return paintLandscape(scene);
}

function paintLandscape(scene: Scene): Canvas {
  const raster = paintSky(scene);
  paintAurora(raster, scene);
  if (scene.mood.places.has('planet')) paintRisingPlanet(raster, scene);
  else paintLuminary(raster, scene);
  const relief = paintRelief(raster, scene);
  scene.show?.(0.2, raster);
  paintWater(raster, relief, scene);
  paintStrokes(raster, scene);
  const { canvas, context } = toCanvas(raster);
  scene.show?.(0.7, canvas);
  paintStars(context, scene, relief);
  paintLightning(context, scene);
  paintGrass(context, scene);
  paintFlowers(context, scene);
  paintThings(context, scene, relief);
  scene.show?.(0.85, canvas);
  paintGrove(context, scene);
  paintForeground(context, scene);
  paintWeather(context, scene);
  return canvas;
}

function paintRisingPlanet(raster: Raster, scene: Scene): void {
  const random = scene.random.fork('planet');
  const planet = choosePlanet(
    scene,
    random,
    1 - scene.focus,
    scene.horizon * random.range(0.4, 0.62),
    random.range(0.13, 0.2),
  );
  paintPlanet(raster, planet, random);
}

function paintOver(raster: Raster, scene: Scene): Canvas {
  paintStrokes(raster, scene);
  const { canvas, context } = toCanvas(raster);
  paintWeather(context, scene);
  return canvas;
}
