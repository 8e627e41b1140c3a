import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { paintForeground, paintGrove } from '../foreground.ts';
import type { Scene } from '../scene.ts';
import { createDriftingSky } from './drifting-sky.ts';
import { glide, type PlainShot } from './shot.ts';
import { modelLand } from './land-model.ts';
import { type Camera, type Frame, viewLand } from './land-view.ts';
import { createMovingWater, drawWater } from './moving-water.ts';
import { createMovingWeather } from './moving-weather.ts';
import { vignetteOf } from './vignette.ts';

/** The foreground is drawn larger than the frame by this factor, so that it still covers the frame when it moves. */
const OVERSCAN = 1.24;
/** Distance of the foreground, in units of the land. */
const FOREGROUND = 3.1;

interface Journey {
  readonly sideways: number;
  readonly forward: number;
  readonly lift: number;
  readonly tilt: number;
}

/** Creates a slow flight over moving land: clouds drift, water moves, and near things pass faster than far things. */
export function createLandShot(scene: Scene, seconds: number): PlainShot {
  const { width, height } = scene;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const journey = planJourney(scene, seconds);
  const land = modelLand(scene, Math.round(width * 1.08), Math.abs(journey.sideways));
  const sky = createDriftingSky(scene);
  const water = createMovingWater(scene, width);
  const map = new Uint8Array(width * height);
  const foreground = foregroundOf(scene);
  const weather = createMovingWeather(scene);
  const vignette = vignetteOf(scene, 0.42);
  const image = context.createImageData(width, height);
  const frame: Frame = { width, height, data: image.data };
  frame.data.fill(255);
  const skyRows = Math.min(height, Math.ceil((scene.horizon + 0.05) * height));
  context.imageSmoothingQuality = 'low';
  return (now) => {
    const way = glide(now / seconds);
    const camera: Camera = {
      x: journey.sideways * (way * 2 - 1),
      z: journey.forward * way,
      eye: land.eye + journey.lift * way,
      // Only upwards, because nothing is drawn above the sky.
      horizon: scene.horizon - journey.tilt * way,
    };
    const shift = (camera.horizon - scene.horizon) * height;
    context.setTransform(1, 0, 0, 1, 0, shift);
    sky(context, now);
    context.setTransform(1, 0, 0, 1, 0, 0);
    frame.data.set(context.getImageData(0, 0, width, skyRows).data);
    viewLand(frame, map, land, camera);
    drawWater(water, frame, map, camera, now);
    context.putImageData(image, 0, 0);
    drawForeground(context, scene, foreground, camera, now);
    weather(context, now, 1);
    context.drawImage(vignette, 0, 0);
    return canvas;
  };
}

/** Plans a movement of the camera that is clearly visible but stays inside the modelled land. */
function planJourney(scene: Scene, seconds: number): Journey {
  const random = scene.random.fork('journey');
  const way = random.chance(0.5) ? 1 : -1;
  const time = Math.min(1.5, seconds / 6);
  return {
    sideways: way * random.range(0.22, 0.34) * time,
    forward: random.range(0.55, 0.85) * time,
    lift: random.range(0.05, 0.16) * time,
    tilt: random.range(0, 0.025),
  };
}

function foregroundOf(scene: Scene): Canvas {
  const larger: Scene = {
    ...scene,
    width: Math.round(scene.width * OVERSCAN),
    height: Math.round(scene.height * OVERSCAN),
    unit: scene.unit * OVERSCAN,
  };
  const canvas = createCanvas(larger.width, larger.height);
  const context = canvas.getContext('2d');
  paintGrove(context, larger);
  paintForeground(context, larger);
  return canvas;
}

/** Draws the foreground. It is nearest, so it passes fastest, and the wind bends it. */
function drawForeground(
  context: SKRSContext2D,
  { width, height, mood }: Scene,
  foreground: Canvas,
  camera: Camera,
  seconds: number,
): void {
  const near = FOREGROUND / (FOREGROUND - camera.z);
  const scale = near / OVERSCAN;
  const lean = Math.sin(seconds * 1.1) * (0.004 + mood.weather.wind * 0.01);
  const shift = (-camera.x / (FOREGROUND - camera.z)) * height;
  context.save();
  // It stands on its lower edge, a little below the frame's lower edge.
  context.translate(width / 2 + shift, height * (1 + 0.02 * near + 0.1 * (near - 1)));
  context.transform(scale * 1.12, 0, lean, scale * 1.12, 0, 0);
  context.drawImage(foreground, -foreground.width / 2, -foreground.height);
  context.restore();
}
