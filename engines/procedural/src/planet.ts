import { clamp, lerp, mix, ramp, shade, smoothstep, toRgb, type Colour } from './colour.ts';
import { createNoise } from './noise.ts';
import type { Random } from './random.ts';
import type { Raster } from './raster.ts';
import type { Scene } from './scene.ts';

export interface Planet {
  /** Pixels. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly base: Colour;
  readonly second: Colour;
  readonly kind: 'banded' | 'rocky';
  readonly rings: boolean;
  /** Direction of the light in the picture's plane, radians. */
  readonly light: number;
}

export function choosePlanet(scene: Scene, random: Random, x: number, y: number, radius: number): Planet {
  const { palette } = scene;
  const hue = scene.mood.colours[0]?.h ?? random.pick([65, 45, 215, 250, 30, 185]);
  const grey = palette.accent.c < 0.03 ? 0.15 : 1;
  const base = { l: 0.74, c: 0.085 * grey, h: hue };
  return {
    x: x * scene.width,
    y: y * scene.height,
    radius: radius * Math.min(scene.width, scene.height),
    base,
    second: { l: 0.47, c: 0.075 * grey, h: hue + random.pick([-38, 25, 50]) },
    kind: random.chance(0.6) ? 'banded' : 'rocky',
    rings: random.chance(0.55),
    light: random.pick([-2.5, -0.7]) + random.range(-0.3, 0.3),
  };
}

/** Paints a sphere in hard sunlight with a thin atmosphere on its lit edge. Rings pass behind and in front of it. */
export function paintPlanet(raster: Raster, planet: Planet, random: Random): void {
  const surface = createSurface(planet, random);
  const { width, height, data } = raster;
  const { x: centreX, y: centreY, radius } = planet;
  const reach = radius * (planet.rings ? 2.35 : 1.35);
  const light = [Math.cos(planet.light) * 0.78, Math.sin(planet.light) * 0.78, 0.62] as const;
  const air = toRgb(shade(mix(planet.base, { l: 0.85, c: 0.08, h: planet.base.h - 20 }, 0.6), 1.1));
  for (let row = Math.max(0, Math.floor(centreY - reach)); row < Math.min(height, centreY + reach); row++) {
    for (
      let column = Math.max(0, Math.floor(centreX - reach));
      column < Math.min(width, centreX + reach);
      column++
    ) {
      const dx = (column + 0.5 - centreX) / radius;
      const dy = (row + 0.5 - centreY) / radius;
      const distance = Math.sqrt(dx * dx + dy * dy);
      const index = (row * width + column) * 3;
      if (distance < 1 + 1 / radius) {
        const dz = Math.sqrt(Math.max(0, 1 - distance * distance));
        const day = smoothstep(-0.12, 0.75, dx * light[0] + dy * light[1] + dz * light[2]);
        const rim = (1 - dz) ** 2.6 * smoothstep(-0.2, 0.6, dx * light[0] + dy * light[1] + 0.2);
        const cover = clamp((1 - distance) * radius + 0.5);
        surface.at(dx, dy, dz);
        for (let channel = 0; channel < 3; channel++) {
          const ground = (surface.out[channel] ?? 0) * (0.025 + day) + (air[channel] ?? 0) * rim * 0.8;
          const under = data[index + channel] ?? 0;
          data[index + channel] = under + (Math.min(1, ground) - under) * cover;
        }
      } else {
        const halo =
          Math.exp(-(distance - 1) * 16) *
          smoothstep(-0.6, 1, (dx * light[0] + dy * light[1]) / distance) *
          0.5;
        if (halo > 0.003) addLight(data, index, air, halo);
      }
      if (planet.rings) paintRing(data, index, dx, dy, distance, surface.ring);
    }
  }
}

function addLight(data: Float32Array, index: number, light: readonly number[], amount: number): void {
  for (let channel = 0; channel < 3; channel++) {
    const under = data[index + channel] ?? 0;
    data[index + channel] = under + (light[channel] ?? 0) * amount * (1 - under);
  }
}

interface Surface {
  readonly out: Float32Array;
  at(x: number, y: number, z: number): void;
  readonly ring: {
    readonly tone: readonly number[];
    readonly cos: number;
    readonly sin: number;
    band(radius: number): number;
  };
}

function createSurface(planet: Planet, random: Random): Surface {
  const noise = createNoise(random.fork('surface'));
  const tilt = random.range(-0.45, 0.45);
  const [cos, sin] = [Math.cos(tilt), Math.sin(tilt)];
  const tones = ramp([
    [0, shade(planet.second, 0.75)],
    [0.35, planet.second],
    [0.6, planet.base],
    [0.85, shade(planet.base, 1.2, 0.7)],
    [1, { l: 0.95, c: 0.02, h: planet.base.h }],
  ]);
  const out = new Float32Array(3);
  return {
    out,
    at: (dx, dy, dz) => {
      const x = dx * cos + dy * sin;
      const y = dy * cos - dx * sin;
      const longitude = Math.atan2(x, dz + 1e-6);
      const swirl = noise.fbm(longitude * 1.8 + 7, y * 4.2, 4);
      const tone =
        planet.kind === 'banded'
          ? 0.55 + noise.at(3.3, y * 6.5 + swirl * 0.55) * 0.5 + noise.at(9.1, y * 17 + swirl * 1.4) * 0.16
          : 0.5 + noise.fbm(longitude * 1.6 + 3, y * 2.4 + 11, 6) * 0.85;
      const entry = ((clamp(tone) * tones.last) | 0) * 3;
      out[0] = tones.table[entry] ?? 0;
      out[1] = tones.table[entry + 1] ?? 0;
      out[2] = tones.table[entry + 2] ?? 0;
    },
    ring: {
      tone: toRgb(mix(planet.base, { l: 0.92, c: 0.03, h: planet.base.h }, 0.5)),
      cos,
      sin,
      band: (radius) =>
        clamp(0.5 + noise.at(radius * 17, 2.2) * 0.9) *
        smoothstep(1.32, 1.4, radius) *
        (1 - smoothstep(2.12, 2.25, radius)),
    },
  };
}

function paintRing(
  data: Float32Array,
  index: number,
  dx: number,
  dy: number,
  distance: number,
  ring: Surface['ring'],
): void {
  const x = dx * ring.cos + dy * ring.sin;
  const y = (dy * ring.cos - dx * ring.sin) / 0.24;
  const radius = Math.sqrt(x * x + y * y);
  if (radius < 1.3 || radius > 2.27 || (distance < 1 && y < 0)) return;
  const amount = ring.band(radius) * 0.8;
  for (let channel = 0; channel < 3; channel++) {
    const under = data[index + channel] ?? 0;
    data[index + channel] = lerp(under, ring.tone[channel] ?? 0, amount);
  }
}
