import { paintStars } from './celestial.ts';
import { paintNebula } from './nebula.ts';
import { choosePlanet, paintPlanet } from './planet.ts';
import { fromCanvas, toCanvas, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';

/** Paints a planet on a third of the frame, perhaps with a moon, in front of gas and stars. */
export function paintOpenSpace(scene: Scene): Raster {
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
  return lit;
}
