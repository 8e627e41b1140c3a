import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, shade, type Colour } from './colour.ts';
import type { Random } from './random.ts';
import type { Relief } from './relief.ts';
import type { Scene } from './scene.ts';
import { createTerrain, heightAt } from './terrain.ts';

/** Paints buildings, boats and people that the prompt names, small in the landscape. */
export function paintThings(context: SKRSContext2D, scene: Scene, relief: Relief): void {
  const { places } = scene.mood;
  context.save();
  context.lineJoin = 'round';
  if (places.has('castle')) paintCastle(context, scene, relief);
  if (places.has('lighthouse')) paintLighthouse(context, scene, relief);
  if (places.has('village')) paintVillage(context, scene);
  if (places.has('boat') && scene.water !== 'none') paintBoat(context, scene);
  context.restore();
}

/** Lamps are lit when the land is dark. */
const lampOf = ({ palette }: Scene): Colour =>
  palette.exposure < 0.6 ? { l: 0.88, c: 0.13, h: 78 } : shade(palette.dark, 1.2);

function paintCastle(context: SKRSContext2D, scene: Scene, relief: Relief): void {
  const { height } = scene;
  const random = scene.random.fork('castle');
  const x = summitNear(relief, scene.focus);
  const ground = (relief.skyline[Math.round(x)] ?? height) + height * 0.012;
  drawCastle(context, scene, { x, ground, size: height * random.range(0.1, 0.14), random });
}

/** Where a building stands: the middle of its base and its approximate height, in pixels. */
interface Site {
  readonly x: number;
  readonly ground: number;
  readonly size: number;
  readonly random: Random;
}

/** Draws five towers behind a wall, a quarter wider than `size` and up to one and a half times as tall. */
export function drawCastle(context: SKRSContext2D, scene: Scene, { x, ground, size, random }: Site): void {
  const { palette } = scene;
  const foot = size * 0.24;
  const stone = mix(palette.haze, mix(palette.dark, palette.rock, 0.3), 0.62);
  const towers = 5;
  for (let tower = 0; tower < towers; tower++) {
    const side = tower - (towers - 1) / 2;
    const tall = size * (1 - Math.abs(side) * 0.22) * random.range(0.8, 1.1);
    const wide = size * random.range(0.13, 0.19);
    const left = x + side * size * 0.27 - wide / 2;
    context.fillStyle = css(shade(stone, random.range(0.9, 1.08)));
    context.fillRect(left, ground - tall, wide, tall + foot);
    context.beginPath();
    context.moveTo(left - wide * 0.18, ground - tall);
    context.lineTo(left + wide / 2, ground - tall - wide * random.range(1.3, 2.1));
    context.lineTo(left + wide * 1.18, ground - tall);
    context.fillStyle = css(mix(shade(stone, 0.85), palette.accent, 0.22));
    context.fill();
    context.fillStyle = css(lampOf(scene), 0.9);
    context.fillRect(left + wide * 0.4, ground - tall * 0.8, wide * 0.2, wide * 0.34);
  }
  context.fillStyle = css(stone);
  context.fillRect(x - size * 0.62, ground - size * 0.36, size * 1.24, size * 0.36 + foot);
}

/** Returns the column with the highest land within a sixth of the frame. */
function summitNear({ skyline }: Relief, share: number): number {
  const width = skyline.length;
  let best = Math.round(share * width);
  for (
    let column = Math.max(0, best - Math.round(width / 6));
    column < Math.min(width, share * width + width / 6);
    column++
  ) {
    if ((skyline[column] ?? 0) < (skyline[best] ?? 0)) best = column;
  }
  return best;
}

function paintLighthouse(context: SKRSContext2D, scene: Scene, relief: Relief): void {
  const { height, horizon } = scene;
  const x = summitNear(relief, scene.focus < 0.5 ? 0.2 : 0.8);
  const ground = (relief.skyline[Math.round(x)] ?? horizon * height) + height * 0.008;
  drawLighthouse(context, scene, x, ground, height * 0.15);
  if (scene.palette.exposure <= 0.6) shineLighthouse(context, scene, x, ground - height * 0.15 * 1.06);
}

/** Draws a striped tower that stands at (x, ground). With its roof it is a fifth taller than `tall`, in pixels. */
export function drawLighthouse(
  context: SKRSContext2D,
  scene: Scene,
  x: number,
  ground: number,
  tall: number,
): void {
  const { palette, sun } = scene;
  const wide = tall * 0.17;
  const white = mix({ l: 0.4 + palette.exposure * 0.6, c: 0.02, h: 80 }, palette.light, 0.25);
  for (let band = 0; band < 5; band++) {
    const [from, to] = [band / 5, (band + 1) / 5];
    const tone =
      band % 2 ? mix({ l: 0.35 + palette.exposure * 0.25, c: 0.15, h: 27 }, palette.ambient, 0.2) : white;
    const body = context.createLinearGradient(x - wide, 0, x + wide, 0);
    body.addColorStop(sun.x < 0.5 ? 0.2 : 0.8, css(tone));
    body.addColorStop(sun.x < 0.5 ? 1 : 0, css(shade(tone, 0.6)));
    context.fillStyle = body;
    context.beginPath();
    context.moveTo(x - (wide / 2) * (1 - from * 0.4), ground - tall * from);
    context.lineTo(x + (wide / 2) * (1 - from * 0.4), ground - tall * from);
    context.lineTo(x + (wide / 2) * (1 - to * 0.4), ground - tall * to);
    context.lineTo(x - (wide / 2) * (1 - to * 0.4), ground - tall * to);
    context.fill();
  }
  context.fillStyle = css(palette.dark);
  context.fillRect(x - wide * 0.42, ground - tall * 1.02, wide * 0.84, tall * 0.025);
  context.beginPath();
  context.moveTo(x - wide * 0.36, ground - tall * 1.11);
  context.lineTo(x, ground - tall * 1.2);
  context.lineTo(x + wide * 0.36, ground - tall * 1.11);
  context.fill();
  context.fillStyle = css({ l: 0.95, c: 0.09, h: 90 });
  context.fillRect(x - wide * 0.24, ground - tall * 1.11, wide * 0.48, tall * 0.09);
}

function shineLighthouse(context: SKRSContext2D, scene: Scene, x: number, lamp: number): void {
  const { width, height } = scene;
  const way = scene.focus < 0.5 ? 1 : -1;
  const beam = context.createLinearGradient(x, lamp, x + way * width * 0.6, lamp);
  beam.addColorStop(0, css({ l: 0.95, c: 0.08, h: 90 }, 0.6));
  beam.addColorStop(1, css({ l: 0.95, c: 0.06, h: 90 }, 0));
  context.fillStyle = beam;
  context.beginPath();
  context.moveTo(x, lamp);
  context.lineTo(x + way * width * 0.62, lamp - height * 0.09);
  context.lineTo(x + way * width * 0.62, lamp + height * 0.03);
  context.fill();
}

/** Paints gabled houses around a spire, standing on the terrain. */
function paintVillage(context: SKRSContext2D, scene: Scene): void {
  const { width, height, horizon, aspect } = scene;
  const random = scene.random.fork('village');
  const terrain = createTerrain(scene);
  const centre = (scene.focus - 0.5) * aspect;
  const houses = Array.from({ length: 11 }, (_, index) => ({
    z: random.range(13, 21),
    across: centre + random.gaussian() * 0.13,
    church: index === 0,
  })).sort((one, other) => other.z - one.z);
  for (const { z, across, church } of houses) {
    const ground = Math.max(0.05, heightAt(terrain, across * z, z));
    const x = (0.5 + across / aspect) * width;
    const y = (horizon + (terrain.eye - ground) / z) * height;
    const size = (height / z) * random.range(0.55, 0.8);
    drawHouse(context, scene, { x, ground: y, size, random }, { far: (z - 10) / 30, church });
  }
}

/** Draws a gabled house. `far` 0–1: how deep in the haze. A church has a spire two and a half times the size. */
export function drawHouse(
  context: SKRSContext2D,
  scene: Scene,
  { x, ground: y, size, random }: Site,
  { far, church }: { far: number; church: boolean },
): void {
  const { palette } = scene;
  const wall = mix(
    mix({ l: 0.3 + palette.exposure * 0.6, c: 0.03, h: 75 }, palette.light, 0.3),
    palette.haze,
    far,
  );
  const slate = scene.mood.season === 'autumn' ? { l: 0.3, c: 0.03, h: 265 } : { l: 0.32, c: 0.09, h: 36 };
  const roof = mix(
    mix({ ...slate, l: slate.l * (0.7 + palette.exposure * 0.6) }, palette.dark, 0.25),
    palette.haze,
    far * 0.8,
  );
  const lamp = lampOf(scene);
  const wide = size * random.range(0.9, 1.4);
  const tall = size * 0.62;
  context.fillStyle = css(wall);
  context.fillRect(x - wide / 2, y - tall, wide, tall + size * 0.1);
  context.fillStyle = css(shade(wall, 0.78));
  context.fillRect(x + wide * 0.2, y - tall, wide * 0.3, tall + size * 0.1);
  if (church) {
    context.fillStyle = css(wall);
    context.fillRect(x - size * 0.17, y - size * 1.5, size * 0.34, size * 1.5);
    context.fillStyle = css(roof);
    context.beginPath();
    context.moveTo(x - size * 0.22, y - size * 1.5);
    context.lineTo(x, y - size * 2.5);
    context.lineTo(x + size * 0.22, y - size * 1.5);
    context.fill();
  }
  context.fillStyle = css(roof);
  context.beginPath();
  context.moveTo(x - wide * 0.58, y - tall);
  context.lineTo(x - wide * 0.34, y - tall - size * 0.46);
  context.lineTo(x + wide * 0.34, y - tall - size * 0.46);
  context.lineTo(x + wide * 0.58, y - tall);
  context.fill();
  context.fillStyle = css(lamp);
  for (const at of [-0.3, -0.02, 0.32]) {
    if (random.chance(0.7))
      context.fillRect(x + wide * at - size * 0.06, y - tall * 0.62, size * 0.13, size * 0.18);
  }
}

function paintBoat(context: SKRSContext2D, scene: Scene): void {
  const { width, height, horizon, focus } = scene;
  const random = scene.random.fork('boat');
  const x = (1 - focus + random.range(-0.06, 0.06)) * width;
  const ground = (horizon + random.range(0.05, 0.1)) * height;
  const size = Math.min(width, height) * random.range(0.085, 0.12);
  drawMirroredBoat(context, scene, { x, ground, size, random });
}

/** Draws a sailing boat of height and width `size`, and its reflection of the same size in the water below. */
export function drawMirroredBoat(
  context: SKRSContext2D,
  scene: Scene,
  { x, ground, size, random }: Site,
): void {
  context.save();
  context.translate(x, ground);
  for (let slice = 0; slice < 14; slice++) {
    context.save();
    const top = (slice / 14) * size * 1.1;
    context.beginPath();
    context.rect(-size, top, size * 2, (size * 1.1) / 14);
    context.clip();
    context.translate(random.gaussian() * size * 0.03 * (1 + slice * 0.12), 0);
    context.scale(1, -1);
    context.globalAlpha = 0.42 * (1 - slice / 16);
    drawBoat(context, scene, size);
    context.restore();
  }
  drawBoat(context, scene, size);
  context.restore();
}

function drawBoat(context: SKRSContext2D, scene: Scene, size: number): void {
  const { palette, sun } = scene;
  const way = sun.x < 0.5 ? 1 : -1;
  const sail = mix({ l: 0.45 + palette.exposure * 0.52, c: 0.03, h: 80 }, palette.glow, 0.35);
  context.fillStyle = css(mix(palette.dark, { l: 0.35, c: 0.08, h: 40 }, 0.3));
  context.beginPath();
  context.moveTo(-size * 0.42, -size * 0.13);
  context.quadraticCurveTo(-size * 0.3, size * 0.02, -size * 0.2, size * 0.02);
  context.lineTo(size * 0.26, size * 0.02);
  context.quadraticCurveTo(size * 0.4, 0, size * 0.48, -size * 0.15);
  context.closePath();
  context.fill();
  context.fillRect(-size * 0.012, -size * 1.02, size * 0.024, size * 0.92);
  context.fillStyle = css(sail);
  context.beginPath();
  context.moveTo(way * size * 0.03, -size * 0.98);
  context.quadraticCurveTo(way * size * 0.3, -size * 0.55, way * size * 0.4, -size * 0.2);
  context.lineTo(way * size * 0.03, -size * 0.18);
  context.fill();
  context.fillStyle = css(shade(sail, 0.82));
  context.beginPath();
  context.moveTo(-way * size * 0.03, -size * 0.86);
  context.quadraticCurveTo(-way * size * 0.18, -size * 0.5, -way * size * 0.32, -size * 0.2);
  context.lineTo(-way * size * 0.03, -size * 0.2);
  context.fill();
}

/** Draws a person who looks into the landscape, seen from behind. The feet are at (x, y). */
export function paintWanderer(
  context: SKRSContext2D,
  scene: Scene,
  x: number,
  y: number,
  size: number,
): void {
  const { palette, mood, sun } = scene;
  const coat = shade(mix(palette.dark, palette.accent, palette.exposure * 0.35), 0.9);
  const flare = mood.traits.has('woman') ? 0.2 : 0.14;
  const wind = 0.05 + mood.weather.wind * 0.1;
  context.save();
  context.translate(x, y);
  context.scale(size, size);
  context.fillStyle = css(palette.dark);
  context.fillRect(-0.055, -0.3, 0.04, 0.3);
  context.fillRect(0.015, -0.3, 0.04, 0.3);
  context.fillStyle = css(coat);
  context.beginPath();
  context.moveTo(-0.05, -0.82);
  context.bezierCurveTo(-0.14, -0.78, -0.13, -0.6, -0.12, -0.45);
  context.quadraticCurveTo(-0.14, -0.3, -flare - 0.01, -0.16);
  context.quadraticCurveTo(0, -0.1, flare + wind, -0.15);
  context.quadraticCurveTo(0.13, -0.3, 0.12, -0.45);
  context.bezierCurveTo(0.13, -0.6, 0.14, -0.78, 0.05, -0.82);
  context.fill();
  context.beginPath();
  context.arc(0, -0.9, 0.065, 0, Math.PI * 2);
  context.fillStyle = css(mix(palette.dark, { l: 0.4, c: 0.05, h: 50 }, 0.25));
  context.fill();
  // The light along one side of the person.
  context.strokeStyle = css(palette.glow, 0.55);
  context.lineWidth = 0.014;
  context.beginPath();
  const side = sun.x * scene.width < x ? -1 : 1;
  context.moveTo(side * 0.055, -0.82);
  context.bezierCurveTo(side * 0.13, -0.78, side * 0.125, -0.6, side * 0.118, -0.45);
  context.stroke();
  context.restore();
}
