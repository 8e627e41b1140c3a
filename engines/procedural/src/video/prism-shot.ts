import type { Canvas } from '@napi-rs/canvas';
import { createTurningCut, VIEW_SIDE } from '../prism.ts';
import { fromCanvas } from '../raster.ts';
import type { Scene } from '../scene.ts';
import type { PlainShot } from './shot.ts';

/** Creates a moving view, seen through turning stones. */
export function createPrismShot(scene: Scene, viewOf: (small: Scene) => PlainShot): PlainShot {
  const share = Math.min(1, VIEW_SIDE / Math.max(scene.width, scene.height));
  const small: Scene = {
    ...scene,
    width: Math.round(scene.width * share),
    height: Math.round(scene.height * share),
    unit: scene.unit * share,
    // Haze hides the contours that a cut needs.
    air: scene.air * 0.5,
  };
  const view = viewOf(small);
  let cut: ReturnType<typeof createTurningCut> | undefined;
  return (now): Canvas => {
    cut ??= createTurningCut(scene, fromCanvas(view(0)));
    return cut(fromCanvas(view(now)), now * 1.4);
  };
}
