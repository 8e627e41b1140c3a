import type { Canvas } from '@napi-rs/canvas';
import { paintAtelier } from './atelier.ts';
import { paintFigures } from './figures.ts';
import { paintLinework } from './linework.ts';
import { paintNocturne } from './nocturne.ts';
import { paintPapercut } from './papercut.ts';
import { paintPrism } from './prism.ts';
import type { Scene } from './scene.ts';

/** Draws a scene in one style. Must not draw text, because fonts differ between machines. */
export type Painter = (scene: Scene) => Canvas;

/** From an engine model to its painter. Users see the models of `studio/models/`, whose routes name these. */
export const PAINTERS = {
  atelier: paintAtelier,
  linework: paintLinework,
  prism: paintPrism,
  nocturne: paintNocturne,
  papercut: paintPapercut,
  figures: paintFigures,
} as const satisfies Record<string, Painter>;

export type ProceduralModel = keyof typeof PAINTERS;

export const isProceduralModel = (name: string): name is ProceduralModel => Object.hasOwn(PAINTERS, name);
