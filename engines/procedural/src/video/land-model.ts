import { createGround, enterColumn, shadeGround, treesAt } from '../ground.ts';
import { shadeLand, surveyLand } from '../relief.ts';
import type { Scene } from '../scene.ts';
import { createTerrain } from '../terrain.ts';

/**
 * A landscape as a grid of coloured heights, over which a camera can move. Distances are those of the terrain: X
 * across, Z into the image, heights above the water.
 */
export interface LandModel {
  readonly columns: number;
  /**
   * Number of steps in depth. All places of one column are adjacent in the arrays, because a view goes from near to
   * far.
   */
  readonly steps: number;
  readonly eye: number;
  readonly depths: Float32Array;
  /** Per row, the position of the first column and the distance between columns. */
  readonly lefts: Float32Array;
  readonly cells: Float32Array;
  /** Height of the ground with its trees; 0 for water. */
  readonly tops: Float32Array;
  readonly wet: Uint8Array;
  /** sRGB, 0–255, three per place. */
  readonly colours: Float32Array;
}

const STEPS = 270;
/** Moves more rows to the distance, because missing rows are visible on steep slopes far away. */
const BIAS = 0.84;

/** Models the land of a scene. `sideways`: how far the camera will move to either side. */
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
