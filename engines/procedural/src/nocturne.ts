import type { Canvas } from '@napi-rs/canvas';
import { paintAurora, paintLuminary, paintStars } from './celestial.ts';
import { paintCityscape } from './cityscape.ts';
import { paintForeground, paintGrove } from './foreground.ts';
import { bloom, soften } from './glow.ts';
import { paintOpenSpace } from './open-space.ts';
import { choosePalette } from './palette.ts';
import { createRandom } from './random.ts';
import { fromCanvas, toCanvas } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintThings } from './things.ts';
import { paintWater } from './water.ts';
import { paintLightning, paintWeather } from './weather.ts';

/** Paints cinematic nights: cities on dark water, open space, moonlit land. */
export function paintNocturne(day: Scene): Canvas {
  const scene = afterDark(day);
  const { places } = scene.mood;
  const asked = [...places].filter((place) => place !== 'person' && place !== 'abstract');
  const choice = createRandom(`nocturne\u0000${asked.join()}${scene.random.fork('choice').int(3)}`);
  const canvas = places.has('city')
    ? paintNightCity(scene)
    : places.has('space') || places.has('planet')
      ? paintNightSpace(scene)
      : asked.length > 0
        ? paintNightLand(scene)
        : choice.pick([paintNightCity, paintNightSpace, paintNightLand])(scene);
  scene.show?.(0.7, canvas);
  // Less detail makes the picture softer.
  soften(canvas, (0.75 - scene.look.detail) * Math.max(2.2, 5 * scene.unit));
  bloom(canvas, 0.5 + scene.look.weight * 0.18);
  paintWeather(canvas.getContext('2d'), scene);
  return canvas;
}

/**
 * Turns a scene into night: the sun becomes a moon, and the palette a night palette. If the words ask for dusk or
 * sunset, the time is dusk.
 */
export function afterDark(scene: Scene): Scene {
  const time = scene.mood.time === 'sunset' || scene.mood.time === 'dusk' ? 'dusk' : 'night';
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

const paintNightCity = (scene: Scene): Canvas => toCanvas(paintCityscape(scene)).canvas;
const paintNightSpace = (scene: Scene): Canvas => toCanvas(paintOpenSpace(scene)).canvas;

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
  paintThings(front, scene, relief);
  paintGrove(front, scene);
  paintForeground(front, scene);
  return canvas;
}
