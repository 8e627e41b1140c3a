import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import { paintBackdrop, paintGarland } from './figure-backdrop.ts';
import { drawBody, drawHead } from './figure-body.ts';
import { drawFace } from './figure-face.ts';
import { drawBackHair, drawFrontHair, flowStrands } from './figure-hair.ts';
import { drawHelmet, drawWear, drawWearBehind } from './figure-wear.ts';
import { imagineFigure, type Figure } from './figure.ts';
import type { Scene } from './scene.ts';
import { paintWeather } from './weather.ts';

/** Paints stylised portraits: `soft` like a painted poster, `bold` in flat shapes. */
export function paintFigures(scene: Scene): Canvas {
  const figure = imagineFigure(scene);
  const { x, y, head } = poseFigure(figure);
  const canvas = paintBackdrop(figure, x, y, head);
  scene.show?.(0.5, canvas);
  const context = canvas.getContext('2d');
  context.save();
  context.translate(x, y);
  context.scale(head, head);
  drawFigure(context, figure);
  context.restore();
  scene.show?.(0.8, canvas);
  paintGarland(context, figure, head);
  paintWeather(context, scene);
  return canvas;
}

/** Returns the middle of the face and the height of the head, in pixels. */
export function poseFigure({ scene, random }: Figure): { x: number; y: number; head: number } {
  const { width, height } = scene;
  const head = Math.min(height * 0.37, width * 0.44) * random.fork('size').range(0.92, 1.06);
  const x = width * (scene.aspect > 1.25 ? scene.focus : 0.5 + (scene.focus - 0.5) * 0.24);
  return { x, y: Math.max(height * 0.42, height - head * 1.75), head };
}

/** Draws a figure around the origin. One unit is one head. */
export function drawFigure(context: SKRSContext2D, figure: Figure): void {
  const tilt = figure.gaze * figure.random.fork('tilt').range(-0.02, 0.11);
  const turned = (draw: (context: SKRSContext2D, figure: Figure) => void) => {
    context.save();
    context.translate(0, 0.5);
    context.rotate(tilt);
    context.translate(0, -0.5);
    draw(context, figure);
    context.restore();
  };
  turned(drawWearBehind);
  turned(drawBackHair);
  drawBody(context, figure);
  turned(drawHead);
  turned(drawFace);
  turned(drawFrontHair);
  if (figure.hair === 'long' && !figure.bold) turned((target) => flowStrands(target, figure, false));
  turned(drawWear);
  drawHelmet(context, figure);
}
