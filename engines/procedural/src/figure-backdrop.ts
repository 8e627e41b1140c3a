import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { paintStrokes } from './brush.ts';
import { paintLuminary, paintStars } from './celestial.ts';
import { css, mix, shade, type Colour } from './colour.ts';
import { flower } from './figure-wear.ts';
import type { Figure } from './figure.ts';
import type { Random } from './random.ts';
import { toCanvas } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintWater } from './water.ts';

/** Paints the background of a figure: a blurred landscape, or a poster's ground. */
export function paintBackdrop(figure: Figure, headX: number, headY: number, head: number): Canvas {
  const { scene, bold } = figure;
  const canvas = bold ? posterGround(figure, headX, headY, head) : softLandscape(scene);
  const context = canvas.getContext('2d');
  if (!bold) {
    paintStars(context, scene, scene.horizon);
    halo(context, figure, headX, headY, head);
  }
  return canvas;
}

/** Paints the landscape small and enlarges it, so that it looks out of focus. */
function softLandscape(scene: Scene): Canvas {
  const share = 0.5;
  const small: Scene = {
    ...scene,
    width: Math.max(64, Math.round(scene.width * share)),
    height: Math.max(64, Math.round(scene.height * share)),
    unit: scene.unit * share,
    horizon: Math.min(0.74, scene.horizon + 0.1),
    sun: { ...scene.sun, visible: false },
  };
  const raster = paintSky(small, 0.6);
  paintLuminary(raster, small);
  const relief = paintRelief(raster, small);
  paintWater(raster, relief, small);
  paintStrokes(raster, { ...small, unit: small.unit * 1.5 });
  const canvas = createCanvas(scene.width, scene.height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(toCanvas(raster).canvas, 0, 0, scene.width, scene.height);
  return canvas;
}

/** Draws a disc of light behind the head, with a ring of ornament. */
function halo(context: SKRSContext2D, figure: Figure, x: number, y: number, head: number): void {
  const { scene, random } = figure;
  const { palette } = scene;
  const ring = random.fork('halo');
  const radius = head * ring.range(0.92, 1.12);
  const centreY = y - head * 0.08;
  const disc = context.createRadialGradient(x, centreY, 0, x, centreY, radius);
  disc.addColorStop(0, css(mix(palette.glow, palette.disc, 0.4), 0.95));
  disc.addColorStop(0.8, css(palette.glow, 0.75));
  disc.addColorStop(1, css(mix(palette.glow, palette.sky[2], 0.45), 0.7));
  context.fillStyle = disc;
  circle(context, x, centreY, radius);
  context.fill();
  const line = mix(palette.accent, palette.dark, 0.25);
  context.strokeStyle = css(line, 0.75);
  for (const [reach, thick] of [
    [1.05, 0.012],
    [1.22, 0.008],
  ] as const) {
    context.lineWidth = head * thick;
    circle(context, x, centreY, radius * reach);
    context.stroke();
  }
  const beads = 36 + ring.int(4) * 6;
  const kind = ring.int(3);
  for (let bead = 0; bead < beads; bead++) {
    const angle = (bead / beads) * Math.PI * 2;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    context.fillStyle = css(bead % 3 === 0 ? palette.accent : line, 0.8);
    context.strokeStyle = css(line, 0.6);
    context.lineWidth = head * 0.008;
    context.beginPath();
    if (kind === 0)
      context.arc(
        x + cos * radius * 1.135,
        centreY + sin * radius * 1.135,
        head * (bead % 3 === 0 ? 0.03 : 0.014),
        0,
        Math.PI * 2,
      );
    else if (kind === 1)
      context.ellipse(
        x + cos * radius * 1.135,
        centreY + sin * radius * 1.135,
        head * 0.055,
        head * 0.017,
        angle,
        0,
        Math.PI * 2,
      );
    else {
      context.moveTo(x + cos * radius * 1.06, centreY + sin * radius * 1.06);
      context.lineTo(
        x + cos * radius * (bead % 3 === 0 ? 1.34 : 1.2),
        centreY + sin * radius * (bead % 3 === 0 ? 1.34 : 1.2),
      );
      context.stroke();
      continue;
    }
    context.fill();
  }
}

/** Paints flat areas: rays, a great disc, bands. */
function posterGround(figure: Figure, x: number, y: number, head: number): Canvas {
  const { scene, random } = figure;
  const { width, height, palette } = scene;
  const poster = random.fork('poster');
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const [zenith, high, low, horizon] = palette.sky;
  context.fillStyle = css(mix(high, palette.paper, 0.15));
  context.fillRect(0, 0, width, height);
  const style = poster.int(3);
  const reach = Math.hypot(width, height);
  if (style === 0) {
    const rays = 28;
    context.fillStyle = css(mix(low, palette.paper, 0.2));
    for (let ray = 0; ray < rays; ray += 2) {
      context.beginPath();
      context.moveTo(x, y);
      for (const edge of [ray, ray + 1]) {
        const angle = (edge / rays) * Math.PI * 2 + 0.1;
        context.lineTo(x + Math.cos(angle) * reach, y + Math.sin(angle) * reach);
      }
      context.fill();
    }
  } else if (style === 1) {
    for (let band = 0; band < 9; band++) {
      context.fillStyle = css(mix(zenith, horizon, band / 8));
      context.fillRect(0, (band / 9) * height, width, height / 9 + 1);
    }
  } else {
    const tones: Colour[] = [zenith, palette.accent, low, palette.counter, horizon, palette.haze];
    for (let ring = 7; ring > 0; ring--) {
      context.fillStyle = css(tones[ring % tones.length] ?? low);
      circle(context, x, y, head * (0.75 + ring * 0.42));
      context.fill();
    }
  }
  context.fillStyle = css(poster.chance(0.5) ? palette.accent : palette.glow);
  circle(context, x + figure.light * head * 0.35, y - head * 0.25, head * 0.98);
  context.fill();
  halftone(context, figure, x + figure.light * head * 0.35, y - head * 0.25, head);
  return canvas;
}

function halftone(context: SKRSContext2D, figure: Figure, x: number, y: number, head: number): void {
  const { palette, look } = figure.scene;
  const pitch = head * (look.brush === 'stipple' ? 0.05 : look.brush === 'knife' ? 0.09 : 0.068);
  if (look.brush === 'smooth') return;
  context.fillStyle = css(shade(palette.dark, 1.1), 0.32);
  const reach = Math.ceil((head * 1.2) / pitch);
  for (let row = 0; row < reach; row++) {
    for (let column = -reach; column <= reach; column++) {
      const px = column * pitch + (row % 2) * pitch * 0.5;
      const py = row * pitch;
      if (px * px + py * py > (head * 0.97) ** 2) continue;
      const size = pitch * 0.44 * (py / head) * (0.7 + look.weight * 0.3);
      if (look.brush === 'knife') context.fillRect(x + px - pitch / 2, y + py, pitch, size);
      else {
        circle(context, x + px, y + py, size);
        context.fill();
      }
    }
  }
}

/** Paints leaves and flowers that rise from the lower corners in front of the figure. */
export function paintGarland(context: SKRSContext2D, figure: Figure, head: number): void {
  const { scene, random, light } = figure;
  const garland = random.fork('garland');
  const { palette, width, height } = scene;
  if (!garland.chance(scene.mood.places.has('flowers') || scene.mood.places.has('forest') ? 1 : 0.6)) return;
  const leaf = mix({ ...palette.foliage, l: 0.3 + palette.exposure * 0.22 }, palette.dark, 0.2);
  for (const side of [-1, 1]) {
    const rootX = side < 0 ? -width * 0.02 : width * 1.02;
    for (let branch = 0; branch < 4; branch++) {
      const angle = -Math.PI / 2 - side * garland.range(0.05, 0.75);
      drawBranch(
        context,
        rootX - side * garland.range(0, 0.12) * width,
        height * 1.03,
        angle,
        head * garland.range(0.7, 1.35),
        shade(leaf, garland.range(0.75, 1.3)),
        garland,
      );
    }
    for (let bloom = 0; bloom < 4; bloom++) {
      const tone = garland.chance(0.7) ? palette.blossom : palette.accent;
      flower(
        context,
        rootX - side * garland.range(0.02, 0.24) * width,
        height - garland.range(0, 0.5) * head,
        head * garland.range(0.09, 0.17),
        { ...tone, l: Math.max(0.55, tone.l) },
        light,
        garland.range(0, 6),
      );
    }
  }
}

function drawBranch(
  context: SKRSContext2D,
  x: number,
  y: number,
  angle: number,
  length: number,
  tone: Colour,
  random: Random,
): void {
  const bend = random.range(-0.6, 0.6);
  const pairs = 9;
  for (let pair = 0; pair <= pairs; pair++) {
    const t = pair / pairs;
    const here = angle + bend * t;
    const px = x + Math.cos(angle + (bend * t) / 2) * length * t;
    const py = y + Math.sin(angle + (bend * t) / 2) * length * t;
    const size = length * 0.2 * (1 - t * 0.62);
    for (const side of pair === pairs ? [0] : [-1, 1]) {
      const turn = here + side * 0.85;
      context.fillStyle = css(shade(tone, side > 0 ? 1.12 : 0.88));
      context.beginPath();
      context.moveTo(px, py);
      context.quadraticCurveTo(
        px + Math.cos(turn - 0.45) * size * 0.6,
        py + Math.sin(turn - 0.45) * size * 0.6,
        px + Math.cos(turn) * size,
        py + Math.sin(turn) * size,
      );
      context.quadraticCurveTo(
        px + Math.cos(turn + 0.45) * size * 0.6,
        py + Math.sin(turn + 0.45) * size * 0.6,
        px,
        py,
      );
      context.fill();
    }
  }
}

function circle(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
}
