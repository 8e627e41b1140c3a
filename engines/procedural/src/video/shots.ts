import { type ProceduralModel, PAINTERS } from '../models.ts';
import { afterDark } from '../nocturne.ts';
import type { Scene } from '../scene.ts';
import type { PlainShot } from './shot.ts';
import { createLandShot } from './land-shot.ts';
import { createPrismShot } from './prism-shot.ts';
import { createPlateShot } from './plate-shot.ts';

/** How each model shoots what the words say. */
export function createShot(scene: Scene, seconds: number, model: ProceduralModel): PlainShot {
  switch (model) {
    case 'atelier':
      return createOpenAirShot(scene, seconds, model);
    case 'nocturne':
      return createOpenAirShot(isLand(scene) ? afterDark(scene) : scene, seconds, model);
    case 'prism':
      return createPrismShot(scene, (small) => createOpenAirShot(small, seconds, 'atelier'));
    default:
      return createPlateShot(scene, seconds, PAINTERS[model]);
  }
}

/** Land is flown over; for what is no land, a camera wanders over the painter's plate. */
function createOpenAirShot(scene: Scene, seconds: number, model: ProceduralModel): PlainShot {
  return isLand(scene) ? createLandShot(scene, seconds) : createPlateShot(scene, seconds, PAINTERS[model]);
}

const landless = [
  'city',
  'space',
  'planet',
  'person',
  'abstract',
  'castle',
  'lighthouse',
  'village',
  'boat',
] as const;

const isLand = ({ mood }: Scene): boolean => !landless.some((place) => mood.places.has(place));
