import { type ProceduralModel, PAINTERS } from '../models.ts';
import { afterDark } from '../nocturne.ts';
import type { Scene } from '../scene.ts';
import type { PlainShot } from './shot.ts';
import { createLandShot } from './land-shot.ts';
import { createPrismShot } from './prism-shot.ts';
import { createPlateShot } from './plate-shot.ts';

/** Creates the shot of a model for the scene of the words. */
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

/** Flies over land. If the scene is not land, a camera moves over a painted picture. */
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
