import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { paintAurora } from '../celestial.ts';
import { css, fromRgb, lerp, smoothstep, type Colour } from '../colour.ts';
import type { Bitmap } from '../encode.ts';
import { finishCanvas } from '../finish.ts';
import { toBitmap, toRaster } from '../image.ts';
import type { TimeOfDay } from '../lexicon.ts';
import { PAINTERS, type ProceduralModel } from '../models.ts';
import { fromCanvas, sampleField, toCanvas, type Field, type Raster } from '../raster.ts';
import { REDRAWERS } from '../redraw.ts';
import { composeScene, type Brief, type Scene } from '../scene.ts';
import { paintSky } from '../sky.ts';
import { matchTones } from '../tone-match.ts';
import { continueSurroundings } from './continue-surroundings.ts';
import { depthOf } from './depth.ts';
import { fitBox, type Box, type Hole } from './hole.ts';
import { subjectsOf, type Subject } from './subjects.ts';

/** If the hole is a larger share of the picture, the rest does not show what belongs there. */
const MAX_SHARE = 0.9;
/** A hole that reaches below this share of the height ends with the picture. A portrait may be cut off there. */
const FOOT = 0.94;

/** The request for a hole. `strength` 0–1. */
interface Filling {
  readonly type: 'refine' | 'fill';
  readonly model: ProceduralModel;
  readonly strength: number;
}

/**
 * Fills a hole: the surroundings are continued, or in a refinement the content stays. The things that the words name
 * are drawn in, in the hole's light. The weaker the change, the more of this light they take on. Returns null if the
 * hole is nearly the whole picture.
 */
export function fillHole(source: Bitmap, hole: Hole, brief: Brief, filling: Filling): Bitmap | null {
  if (hole.share > MAX_SHARE) return null;
  const { model } = filling;
  const ground =
    filling.type === 'fill'
      ? continueSurroundings(source, hole, brief.random.fork('surroundings'))
      : cutOut(source, hole.bounds);
  if (ground === null) return null;
  const scene = sceneIn(ground, hole.bounds, source, brief);
  const hasFoot = hole.bounds.top + hole.bounds.height > source.height * FOOT;
  const subjects = isSliver(hole.bounds) ? [] : subjectsOf(brief.mood, hasFoot);
  const drawn = drawSubjects(ground, hole, scene, subjects, filling);
  const raster = fromCanvas(drawn);
  if (model === 'atelier') return put(source, hole.bounds, toBitmap(raster));
  const canvas = REDRAWERS[model](raster, scene);
  const finish = { grain: scene.look.grain ? 1 : 0, vignette: 0, contrast: 1, brush: scene.look.brush };
  return put(source, hole.bounds, finishCanvas(canvas, { ...finish, random: scene.random }));
}

/** Returns the words' scene in the bounds of the hole, with the time of day and the light of the surroundings. */
function sceneIn(ground: Raster, { width, height }: Box, source: Bitmap, brief: Brief): Scene {
  const { mood, random } = brief;
  const time = mood.time ?? hourOf(meanOf(ground));
  const scene = composeScene({
    ...brief,
    width,
    height,
    mood: { ...mood, time },
    random: random.fork('hole'),
  });
  return { ...scene, sun: { ...scene.sun, x: brighterSide(source) } };
}

function hourOf({ l, c, h }: Colour): TimeOfDay {
  if (l < 0.32) return 'night';
  const warm = c > 0.045 && h > 0 && h < 95;
  if (l < 0.5) return warm ? 'sunset' : 'dusk';
  return warm ? 'golden' : 'day';
}

function meanOf({ data }: Raster): Colour {
  const sums = [0, 0, 0];
  for (let index = 0; index < data.length; index++)
    sums[index % 3] = (sums[index % 3] ?? 0) + (data[index] ?? 0);
  const [red = 0, green = 0, blue = 0] = sums.map((sum) => (sum * 3) / data.length);
  return fromRgb(red, green, blue);
}

/** Returns the side where the light comes from, as a share of the width: 0.25 or 0.75. */
function brighterSide({ width, bytes }: Bitmap): number {
  let lead = 0;
  for (let pixel = 0; pixel * 3 < bytes.length; pixel += 31)
    lead += (bytes[pixel * 3 + 1] ?? 0) * (pixel % width < width / 2 ? 1 : -1);
  return lead > 0 ? 0.25 : 0.75;
}

function drawSubjects(
  ground: Raster,
  hole: Hole,
  scene: Scene,
  subjects: readonly Subject[],
  { type, strength, model }: Filling,
): Canvas {
  const depth = depthOf(hole);
  if (wantsPlace(scene, hole.bounds, subjects)) {
    if (type === 'fill') paintPlace(ground, depth, scene, strength);
    else bendTowards(ground, depth, scene, strength);
    return toCanvas(ground).canvas;
  }
  if (type === 'refine' && model === 'atelier') redrawIn(ground, depth, scene);
  tint(ground, depth, scene);
  const air = css(meanOf(ground), 0.05 + (1 - strength) * 0.45);
  const placed = subjects.map((subject) => ({ ...subject, box: placeOf(hole, subject) }));
  for (const { glow, box } of placed) glow?.(ground, scene, box);
  const { canvas, context } = toCanvas(ground);
  for (const { draw, box, sinks } of placed) {
    if (!draw) continue;
    const layer = createCanvas(canvas.width, canvas.height);
    const target = layer.getContext('2d');
    draw(target, scene, box);
    // The air in front of the subject has the colour of the place.
    target.globalCompositeOperation = 'source-atop';
    target.fillStyle = air;
    target.fillRect(0, 0, layer.width, layer.height);
    if (sinks) sink(target, box);
    context.drawImage(layer, 0, 0);
  }
  return canvas;
}

function placeOf(hole: Hole, { aspect, floats = false }: Subject): Box {
  const { width, height, left, top } = hole.bounds;
  if (aspect === null) return { left: 0, top: 0, width, height };
  const box = fitBox(hole, aspect, floats);
  return { ...box, left: box.left - left, top: box.top - top };
}

/** Fades the lowest part of the subject in a box. */
function sink(context: SKRSContext2D, { left, top, width, height }: Box): void {
  const foot = top + height;
  const fade = context.createLinearGradient(0, foot - height * 0.1, 0, foot);
  fade.addColorStop(0, 'rgba(0,0,0,0)');
  fade.addColorStop(1, 'rgba(0,0,0,1)');
  context.globalCompositeOperation = 'destination-out';
  context.fillStyle = fade;
  context.fillRect(left - width, foot - height * 0.1, width * 3, height);
}

/**
 * Returns true for a very thin hole. A place of that shape would need thousands of times the pixels of a picture, and
 * nobody would see it.
 */
function isSliver({ width, height }: Box): boolean {
  return Math.max(width, height) > 8 * Math.min(width, height);
}

/** Returns whether the words ask for land or sky, and name no subject that would stand in the existing content. */
function wantsPlace({ mood }: Scene, bounds: Box, subjects: readonly Subject[]): boolean {
  const { places, weather, sky } = mood;
  if (isSliver(bounds)) return false;
  if (places.has('forest') && bounds.width > bounds.height * 1.3) return true;
  if (subjects.some(({ aspect }) => aspect !== null) || places.has('flowers')) return false;
  return places.size > 0 || weather.clouds + weather.clear + weather.fog > 0 || sky.has('aurora');
}

/** Width of the transition between a place and its surroundings, as a share of the hole's shorter side. */
const SEAM = 0.3;

function paintPlace(ground: Raster, depth: Field, scene: Scene, strength: number): void {
  const fresh = paintWords(scene);
  matchTones(fresh, toBitmap(ground), 0.15 + (1 - strength) * 0.7);
  blendIn(ground, fresh, depth);
}

const paintWords = (scene: Scene): Raster =>
  scene.mood.places.size > 0 ? fromCanvas(PAINTERS.atelier(scene)) : paintOpenSky(scene);

/** Keeps the forms. Their colours become the colours that the words would have, and the strokes are painted again. */
function bendTowards(ground: Raster, depth: Field, scene: Scene, strength: number): void {
  const bent = { ...ground, data: Float32Array.from(ground.data) };
  matchTones(bent, toBitmap(paintWords(scene)), strength);
  blendIn(ground, fromCanvas(REDRAWERS.atelier(bent, scene)), depth);
}

function redrawIn(ground: Raster, depth: Field, scene: Scene): void {
  const redrawn = REDRAWERS.atelier({ ...ground, data: Float32Array.from(ground.data) }, scene);
  blendIn(ground, fromCanvas(redrawn), depth);
}

function paintOpenSky(scene: Scene): Raster {
  const open = { ...scene, horizon: 1.4 };
  const raster = paintSky(open);
  paintAurora(raster, scene);
  return raster;
}

/** Blends `fresh` over the ground, more strongly with the distance from the hole's rim. */
function blendIn(ground: Raster, fresh: Raster, depth: Field): void {
  const seam = Math.min(ground.width, ground.height) * SEAM;
  for (let row = 0; row < ground.height; row++) blendRow(ground, fresh, row, depth, seam);
}

function blendRow(
  { data, width, height }: Raster,
  fresh: Raster,
  row: number,
  depth: Field,
  seam: number,
): void {
  for (let column = 0, index = row * width * 3; column < width; column++, index += 3) {
    const deep = sampleField(depth, (column + 0.5) / width, (row + 0.5) / height);
    const share = smoothstep(0, seam, deep);
    for (let channel = 0; channel < 3; channel++)
      data[index + channel] = lerp(data[index + channel] ?? 0, fresh.data[index + channel] ?? 0, share);
  }
}

/** Tints the continued surroundings if the words name a colour and nothing else. */
function tint(ground: Raster, depth: Field, { mood, look }: Scene): void {
  const [named] = mood.colours;
  if (named === undefined || !mood.understood || mood.places.size > 0) return;
  const { canvas, context } = toCanvas(ground);
  context.globalCompositeOperation = 'color';
  context.fillStyle = css(named, 0.3 + look.obedience * 0.6);
  context.fillRect(0, 0, canvas.width, canvas.height);
  blendIn(ground, fromCanvas(canvas), depth);
}

function cutOut(source: Bitmap, { left, top, width, height }: Box): Raster {
  const bytes = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * source.width + left) * 3;
    source.bytes.copy(bytes, row * width * 3, from, from + width * 3);
  }
  return toRaster({ width, height, bytes });
}

function put(source: Bitmap, { left, top, width, height }: Box, filling: Bitmap): Bitmap {
  const bytes = Buffer.from(source.bytes);
  for (let row = 0; row < height; row++)
    filling.bytes.copy(
      bytes,
      ((top + row) * source.width + left) * 3,
      row * width * 3,
      (row + 1) * width * 3,
    );
  return { width: source.width, height: source.height, bytes };
}
