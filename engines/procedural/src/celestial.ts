import type { SKRSContext2D } from '@napi-rs/canvas';
import { clamp, colour, css, lerp, mix, smoothstep, toRgb, type Rgb } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import { createRaster, enlarge, type Raster } from './raster.ts';
import type { Relief } from './relief.ts';
import type { Scene } from './scene.ts';

/** Adds the sun or moon with its halo to the light of the picture. */
export function paintLuminary(raster: Raster, scene: Scene): void {
  const { sun, palette } = scene;
  if (!sun.visible) return;
  const { width, height } = raster;
  const radius = sun.radius * Math.min(width, height);
  const lamp: Lamp = {
    scene,
    radius,
    reach: radius * HALO,
    centreX: sun.x * width,
    centreY: sun.y * height,
    disc: toRgb(palette.disc),
    halo: toRgb(palette.glow),
    veil: 1 - Math.max(scene.mood.weather.fog, scene.clouds > 0.7 ? 0.5 : 0) * 0.5,
    noise: createNoise(scene.random.fork('moon')),
  };
  const bottom = Math.min(height, Math.ceil(lamp.centreY + lamp.reach));
  for (let y = Math.max(0, Math.floor(lamp.centreY - lamp.reach)); y < bottom; y++) lightRow(raster, lamp, y);
}

/** Radius of the halo, in radii of the sun or moon. */
const HALO = 4.6;

interface Lamp {
  readonly scene: Scene;
  readonly radius: number;
  readonly reach: number;
  readonly centreX: number;
  readonly centreY: number;
  readonly disc: Rgb;
  readonly halo: Rgb;
  readonly veil: number;
  readonly noise: Noise;
}

function lightRow({ width, data }: Raster, lamp: Lamp, y: number): void {
  const { radius, reach, centreX, centreY, disc, halo, veil } = lamp;
  const crescent = lamp.scene.sun.kind === 'crescent';
  const strength = crescent ? 0.3 : 0.55;
  const dy = y + 0.5 - centreY;
  const half = Math.sqrt(Math.max(0, reach * reach - dy * dy));
  const right = Math.min(width, centreX + half);
  for (let x = Math.max(0, Math.floor(centreX - half)); x < right; x++) {
    const dx = x + 0.5 - centreX;
    const distance = Math.sqrt(dx * dx + dy * dy);
    const fade = Math.max(0, 1 - distance / reach);
    const spread = Math.exp(-Math.max(0, distance - radius) / (radius * 1.5)) * strength * fade;
    let body = clamp(radius - distance + 0.5) * veil;
    if (crescent && body > 0) {
      const cut = Math.hypot(dx - radius * 0.42, dy + radius * 0.2) - radius * 0.92;
      body *= clamp(cut + 0.5);
    }
    const tone = body > 0 ? faceOf(lamp, dx / radius, dy / radius) : 1;
    blend(data, (y * width + x) * 3, halo, disc, spread, body, tone);
  }
}

/** Returns the brightness of a place on the disc: the moon has dark seas, the sun has none. */
function faceOf({ scene, noise }: Lamp, x: number, y: number): number {
  if (scene.sun.kind === 'sun') return 1;
  return 0.97 - smoothstep(0.02, 0.4, noise.fbm(x * 1.6 + 3, y * 1.6, 4)) * 0.16 - (x * x + y * y) * 0.05;
}

function blend(
  data: Float32Array,
  index: number,
  halo: Rgb,
  disc: Rgb,
  spread: number,
  body: number,
  tone: number,
): void {
  for (let channel = 0; channel < 3; channel++) {
    const under = data[index + channel] ?? 0;
    const lit = under + ((halo[channel] ?? 0) - under * 0.6) * spread * 0.8;
    data[index + channel] = Math.min(1, lit + ((disc[channel] ?? 0) * tone - lit) * body);
  }
}

/** Paints stars, a few of them bright, down to a share of the height or to where the land begins. */
export function paintStars(
  context: SKRSContext2D,
  scene: Scene,
  edge: number | Pick<Relief, 'skyline'>,
): void {
  if (scene.stars <= 0.05) return;
  const { width, height, unit, sun, palette } = scene;
  const random = scene.random.fork('stars');
  const floor = typeof edge === 'number' ? edge : scene.horizon;
  const count = Math.round(((width * height * floor) / 1300) * scene.stars * (0.4 + scene.look.detail));
  const clusters = createNoise(random.fork('clusters'));
  const tints = [colour(0.97, 0.02, 250), colour(0.97, 0.03, 80), colour(0.98, 0.01, 100)];
  const styles = tints.map((tint) => css(mix(tint, palette.disc, 0.3)));
  context.save();
  for (let star = 0; star < count; star++) {
    const x = random.next() * width;
    const y = random.next() ** 1.35 * height * floor;
    const size = random.next();
    if (typeof edge !== 'number' && y > (edge.skyline[Math.floor(x)] ?? 0) - 2) continue;
    const near = Math.hypot(x - sun.x * width, y - sun.y * height) / Math.min(width, height);
    const crowd = 0.55 + clusters.fbm((x / height) * 2.4, (y / height) * 2.4, 3) * 1.6;
    const fade =
      (1 - y / (height * floor)) * (sun.visible ? smoothstep(0.06, 0.3, near) : 1) * clamp(crowd, 0.15, 1);
    context.globalAlpha = clamp(fade * (0.35 + size * 0.9) * (0.5 + scene.stars * 0.6));
    context.fillStyle = styles[star % styles.length] ?? '#fff';
    const radius = (0.42 + size ** 14 * 1.5) * Math.max(unit, 0.6);
    context.beginPath();
    context.arc(x, y, radius, 0, Math.PI * 2);
    context.fill();
    if (size > 0.992) twinkle(context, x, y, radius);
  }
  context.restore();
}

function twinkle(context: SKRSContext2D, x: number, y: number, radius: number): void {
  const glow = context.createRadialGradient(x, y, 0, x, y, radius * 7);
  glow.addColorStop(0, 'rgba(235,240,255,0.5)');
  glow.addColorStop(1, 'rgba(235,240,255,0)');
  context.fillStyle = glow;
  context.fillRect(x - radius * 7, y - radius * 7, radius * 14, radius * 14);
}

/** Paints curtains of light that hang from folded bands, green below and violet above. */
export function paintAurora(raster: Raster, scene: Scene): void {
  if (!scene.things.has('aurora')) return;
  const random = scene.random.fork('aurora');
  const noise = createNoise(random);
  const base = scene.mood.colours[0] ?? colour(0.8, 0.19, 155);
  const low = toRgb({ l: 0.84, c: 0.19, h: base.h });
  const top = toRgb({ l: 0.6, c: 0.2, h: base.h + 150 });
  const bands = [0, 1, 2].map((band) => ({
    foot: scene.horizon * (0.84 - band * 0.2) + random.range(-0.03, 0.03),
    reach: random.range(0.24, 0.46),
    shift: random.range(0, 90),
    strength: 1.15 - band * 0.22,
  }));
  const small = createRaster(180, 130);
  for (let row = 0, index = 0; row < small.height; row++) {
    const y = (row + 0.5) / small.height;
    for (let column = 0; column < small.width; column++, index += 3) {
      const x = ((column + 0.5) / small.width) * scene.aspect;
      let light = 0;
      let height = 0;
      for (const { foot, reach, shift, strength } of bands) {
        const fold = noise.fbm(x * 1.5 + shift, 0.5, 3) * 0.34;
        const above = foot + fold - y;
        if (above < -0.03) continue;
        const rays =
          0.5 + noise.at(x * 17 + shift + fold * 22, y * 0.6) * 0.34 + noise.at(x * 43 + shift, 3.1) * 0.16;
        const patch = smoothstep(-0.4, 0.3, noise.at(x * 2.1 + shift, 8.3));
        const body = smoothstep(-0.03, 0.015, above) * Math.exp(-Math.max(0, above) / (reach * 0.45));
        const share = body * rays * patch * strength;
        light += share;
        height += share * clamp(above / reach);
      }
      const rise = height / (light + 1e-6);
      for (let channel = 0; channel < 3; channel++) {
        small.data[index + channel] = lerp(low[channel] ?? 0, top[channel] ?? 0, rise) * Math.min(1, light);
      }
    }
  }
  addGlow(raster, enlarge(small, raster.width, raster.height));
}

function addGlow({ data }: Raster, glow: Raster): void {
  for (let index = 0; index < data.length; index++) {
    const light = glow.data[index] ?? 0;
    if (light < 0.002) continue;
    const under = data[index] ?? 0;
    data[index] = under + light * (1 - under * 0.7);
  }
}
