import type { SKRSContext2D } from '@napi-rs/canvas';
import { clamp, css, lerp, smoothstep } from './colour.ts';
import type { Print } from './print.ts';
import { sampleField } from './raster.ts';

/**
 * Draws evenly spaced lines along the flow. A line is thicker where the picture is dark, and interrupted where the
 * picture is light.
 */
export function engrave(context: SKRSContext2D, print: Print): void {
  const { scene, random, inks } = print;
  const { width, height, unit, look } = scene;
  const gap = Math.max(3.6 - look.detail * 1.4, unit * (13.5 - look.detail * 6.5));
  const grid = { columns: Math.ceil(width / gap) + 2, rows: Math.ceil(height / gap) + 2 };
  const taken = new Int32Array(grid.columns * grid.rows).fill(-1);
  context.fillStyle = css(inks.line, look.brush === 'knife' ? 1 : 0.92);
  const starts = Array.from({ length: grid.columns * grid.rows }, (_, index) => index);
  for (let index = starts.length - 1; index > 0; index--) {
    const other = random.int(index + 1);
    [starts[index], starts[other]] = [starts[other] ?? 0, starts[index] ?? 0];
  }
  for (const [line, cell] of starts.entries()) {
    if ((taken[cell] ?? 0) >= 0) continue;
    const x = ((cell % grid.columns) - 0.5) * gap + random.next() * gap;
    const y = (Math.floor(cell / grid.columns) - 0.5) * gap + random.next() * gap;
    const path = [
      ...follow(print, x, y, -1, gap, taken, grid.columns, line).toReversed(),
      { x, y },
      ...follow(print, x, y, 1, gap, taken, grid.columns, line),
    ];
    if (path.length > 5) drawSwelling(context, print, path, gap);
  }
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

function follow(
  print: Print,
  x: number,
  y: number,
  way: number,
  gap: number,
  taken: Int32Array,
  columns: number,
  line: number,
): Spot[] {
  const { width, height } = print.scene;
  const step = gap * 0.42;
  const path: Spot[] = [];
  const limit = 110;
  for (let count = 0; count < limit; count++) {
    const angle = flowAt(print, x / width, y / height);
    x += Math.cos(angle) * step * way;
    y += Math.sin(angle) * step * way;
    if (x < -gap || y < -gap || x > width + gap * 0.9 || y > height + gap * 0.9) break;
    const cell = (Math.floor(y / gap) + 1) * columns + Math.floor(x / gap) + 1;
    const owner = taken[cell] ?? -1;
    if (owner >= 0 && owner !== line) break;
    taken[cell] = line;
    path.push({ x, y });
  }
  return path;
}

/** Returns the direction of the lines: around the sun in the sky, along the slopes on land, horizontal on water. */
function flowAt({ scene, smooth, noise, skyline }: Print, x: number, y: number): number {
  const { sun, aspect, horizon, mood } = scene;
  const portrait = mood.places.has('person') || mood.places.has('abstract') || mood.places.has('space');
  const wave = noise.fbm(x * aspect * 1.7, y * 1.7, 2) * (1.5 + mood.energy * 0.8);
  const reach = 2.2 / smooth.width;
  const slopeX = sampleField(smooth, x + reach, y) - sampleField(smooth, x - reach, y);
  const slopeY = sampleField(smooth, x, y + reach) - sampleField(smooth, x, y - reach);
  const steep = smoothstep(0.04, 0.24, Math.sqrt(slopeX * slopeX + slopeY * slopeY));
  let vx = Math.cos(wave);
  let vy = Math.sin(wave);
  const ground = skyline?.[Math.floor(clamp(x, 0, 0.999) * skyline.length)] ?? horizon;
  if (!portrait && y < ground) {
    const dx = (x - sun.x) * aspect;
    const dy = y - sun.y;
    const round = Math.exp(-(dx * dx + dy * dy) * 7);
    const length = Math.sqrt(dx * dx + dy * dy) + 1e-4;
    vx = lerp(vx, -dy / length, round);
    vy = lerp(vy, dx / length, round);
  } else if (!portrait && y > horizon && scene.water !== 'none') {
    vy = Math.sin(noise.at(x * aspect * 4, y * 9) * 0.5) * 0.5;
    vx = 1;
  }
  // Along an edge, in the direction in which the flow already runs.
  const along =
    (-slopeY * vx + slopeX * vy < 0 ? -1 : 1) / (Math.sqrt(slopeX * slopeX + slopeY * slopeY) + 1e-5);
  vx = lerp(vx, -slopeY * along, steep * 0.85);
  vy = lerp(vy, slopeX * along, steep * 0.85);
  return Math.atan2(vy, vx);
}

function drawSwelling(context: SKRSContext2D, print: Print, path: readonly Spot[], gap: number): void {
  const { scene, tone, inks } = print;
  const { width, height, look } = scene;
  const thick = gap * 0.46 * (0.55 + look.weight * 0.45);
  const widths = path.map(({ x, y }, index) => {
    const light = sampleField(tone, x / width, y / height);
    const dark = inks.reversed ? light : 1 - light;
    // A graver starts and ends a line gently, a knife does not.
    const taper = look.brush === 'knife' ? 1 : Math.min(1, (index + 1) / 5, (path.length - index) / 5);
    return thick * taper * smoothstep(0.12, 0.95, dark) + (dark > 0.08 ? 0.12 * taper : 0);
  });
  context.beginPath();
  if (look.brush === 'stipple') {
    for (let index = 0; index < path.length; index += 2) {
      const { x = 0, y = 0 } = path[index] ?? {};
      const radius = (widths[index] ?? 0) * 0.95;
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, Math.PI * 2);
    }
    context.fill();
    return;
  }
  const every = look.brush === 'knife' ? 3 : 1;
  for (const side of [1, -1]) {
    for (let step = 0; step < path.length; step += every) {
      const index = side > 0 ? step : path.length - 1 - step;
      const here = path[index];
      const before = path[Math.max(0, index - 1)];
      const after = path[Math.min(path.length - 1, index + 1)];
      if (!here || !before || !after) continue;
      const dx = after.x - before.x;
      const dy = after.y - before.y;
      const length = Math.sqrt(dx * dx + dy * dy) + 1e-4;
      const half = (widths[index] ?? 0) * side;
      context.lineTo(here.x - (dy / length) * half, here.y + (dx / length) * half);
    }
  }
  context.closePath();
  context.fill();
}
