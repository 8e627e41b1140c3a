import { createGround, enterColumn, shadeGround, treesAt } from '../ground.ts';
import { shadeLand, surveyLand } from '../relief.ts';
import type { Scene } from '../scene.ts';
import { createTerrain } from '../terrain.ts';

/**
 * A landscape as a grid of coloured heights that a camera can move over. Distances are those of the terrain: X
 * across, Z into the image, heights above the water.
 */
export interface LandModel {
  readonly columns: number;
  /** Of depth. All places of one column lie side by side in the arrays: a view walks from near to far. */
  readonly steps: number;
  readonly eye: number;
  readonly depths: Float32Array;
  /** Per row, where its first column lies and how far apart its columns are. */
  readonly lefts: Float32Array;
  readonly cells: Float32Array;
  /** Ground with its trees, 0 where there is water. */
  readonly tops: Float32Array;
  readonly wet: Uint8Array;
  /** sRGB, 0–255, three per place. */
  readonly colours: Float32Array;
}

const STEPS = 270;
/** Steep faces far away show each row that is missing. */
const BIAS = 0.84;

/** `sideways` is how far the camera will go to either side. */
export function modelLand(scene: Scene, columns: number, sideways: number): LandModel {
  const terrain = createTerrain(scene);
  const survey = surveyLand(
    terrain,
    STEPS,
    columns,
    (z) => {
      const half = (scene.aspect / 2) * z + sideways;
      return { left: -half, cell: (2 * half) / (columns - 1) };
    },
    BIAS,
  );
  const light = shadeLand(scene, survey);
  const ground = createGround(scene, terrain);
  const { depths, lefts, cells, heights } = survey;
  const tops = new Float32Array(heights.length);
  const wet = new Uint8Array(heights.length);
  const colours = new Float32Array(heights.length * 3);
  for (let step = 0; step < STEPS; step++) {
    const z = depths[step] ?? 1;
    for (let column = 0; column < columns; column++) {
      const from = step * columns + column;
      const index = column * STEPS + step;
      const x = (lefts[step] ?? 0) + column * (cells[step] ?? 0);
      const height = heights[from] ?? 0;
      enterColumn(ground, 0.5 + x / (scene.aspect * z));
      const trees = height > 0 ? treesAt(ground, x, z, step, height) : 0;
      shadeGround(ground, x, z, height, trees, light[from] ?? 0);
      tops[index] = height > 0 ? height + trees : 0;
      wet[index] = height > 0 ? 0 : 1;
      for (let channel = 0; channel < 3; channel++)
        colours[index * 3 + channel] = (ground.colour[channel] ?? 0) * 255;
    }
  }
  return { columns, steps: STEPS, eye: terrain.eye, depths, lefts, cells, tops, wet, colours };
}
