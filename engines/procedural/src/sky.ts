import { clamp, colour, lerp, mix, ramp, shade, smoothstep, toRgb, type Ramp, type Rgb } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import { createRaster, enlarge, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';

/** Paints the sky over the whole frame. Below the horizon it continues as haze, in front of which the land is drawn. */
export function paintSky(scene: Scene, scale = 0.34): Raster {
  const small = createSky(scene, scale)(0);
  const same = Math.ceil(((skyRows(scene, small.height) + 1) / small.height) * scene.height);
  return enlarge(small, scene.width, scene.height, same);
}

/**
 * Creates a function that paints the sky at a small scale again and again, as the wind moves its clouds. `drift` is the
 * distance, in widths of a large cloud. Every call paints over the result of the last call.
 */
export function createSky(scene: Scene, scale: number): (drift: number) => Raster {
  const width = Math.max(16, Math.round(scene.width * scale));
  const height = Math.max(16, Math.round(scene.height * scale));
  const raster = createRaster(width, height);
  const air = prepareAir(scene);
  return (drift) => {
    air.drift = drift;
    paintRows(air, raster);
    return raster;
  };
}

function paintRows(air: Air, raster: Raster): void {
  const { width, height } = raster;
  const { scene } = air;
  const rows = skyRows(scene, height);
  for (let row = 0; row < rows; row++) {
    paintRow(air, raster, row);
  }
  const stride = width * 3;
  const lastRow = raster.data.slice((rows - 1) * stride, rows * stride);
  for (let row = rows; row < height; row++) raster.data.set(lastRow, row * stride);
}

/** One row below the horizon is enough: lower rows are painted over, and would cost as much as the sky. */
const skyRows = (scene: Scene, height: number): number =>
  Math.min(height, Math.ceil((scene.horizon + 0.04) * height));

function paintRow(air: Air, { data, width, height }: Raster, row: number): void {
  const y = (row + 0.5) / height;
  const { out } = air;
  for (let column = 0, index = row * width * 3; column < width; column++, index += 3) {
    airAt(air, (column + 0.5) / width, y);
    data[index] = out[0] ?? 0;
    data[index + 1] = out[1] ?? 0;
    data[index + 2] = out[2] ?? 0;
  }
}

interface Air {
  readonly scene: Scene;
  readonly noise: Noise;
  readonly sky: Ramp;
  readonly lit: Rgb;
  readonly litFar: Rgb;
  readonly shaded: Rgb;
  readonly glow: Rgb;
  readonly octaves: number;
  readonly threshold: number;
  readonly glowStrength: number;
  readonly stretch: number;
  /** The functions below write their results here, so that a million pixels create no garbage. */
  readonly out: Float32Array;
  readonly cloud: { cover: number; light: number };
  drift: number;
}

function prepareAir(scene: Scene): Air {
  const { palette, look, clouds, mood, sun } = scene;
  const [zenith, high, low, horizon] = palette.sky;
  const night = palette.time === 'night';
  const storm = mood.weather.storm;
  const white = mix(palette.glow, colour(0.98, 0.01, 90), palette.exposure * 0.5);
  const lit = night ? mix(high, palette.glow, 0.45) : white;
  const dim = night ? 1.15 : 1.04 + palette.exposure * 0.22 - storm * 0.3;
  return {
    scene,
    noise: createNoise(scene.random.fork('air')),
    sky: ramp([
      [0, zenith],
      [0.38, high],
      [0.76, low],
      [1, horizon],
    ]),
    lit: toRgb(shade(lit, 1 - storm * 0.25)),
    litFar: toRgb(shade(mix(low, lit, palette.exposure * 0.8), 1.04 - storm * 0.25)),
    shaded: toRgb(shade(mix(zenith, palette.ambient, 0.5), dim, 0.8)),
    glow: toRgb(palette.glow),
    octaves: 3 + look.detail * 2.4,
    threshold: lerp(0.64, 0.34, clouds),
    glowStrength: (sun.kind === 'sun' ? 0.95 : 0.5) * (1 - storm * 0.6) * (1 - mood.weather.fog * 0.2),
    stretch: scene.random.fork('stretch').range(0.8, 1.5),
    out: new Float32Array(3),
    cloud: { cover: 0, light: 0 },
    drift: 0,
  };
}

function airAt(air: Air, x: number, y: number): void {
  const { scene, noise, out, cloud, glow, shaded, lit, litFar } = air;
  const { horizon, sun, aspect } = scene;
  const rise = clamp((horizon - y) / horizon);
  const bend = noise.at(x * aspect * 1.3, y * 1.9) * 0.035;
  const entry = ((clamp(1 - rise + bend) * air.sky.last) | 0) * 3;
  const table = air.sky.table;
  let red = table[entry] ?? 0;
  let green = table[entry + 1] ?? 0;
  let blue = table[entry + 2] ?? 0;

  const dx = (x - sun.x) * aspect;
  const dy = y - sun.y;
  const distance = Math.sqrt(dx * dx + dy * dy);
  const near = Math.exp(-distance * distance * 42) * 0.62 + Math.exp(-distance * 3.4) * 0.5;
  const along = Math.exp(-Math.abs(y - horizon) * 8 - Math.abs(dx) * 1.7) * 0.45;
  const shine = clamp((near + along) * air.glowStrength);
  red += (glow[0] - red) * shine;
  green += (glow[1] - green) * shine;
  blue += (glow[2] - blue) * shine;

  if (scene.clouds > 0.02 && rise > 0) {
    findCloud(air, (x - 0.5) * aspect, rise, dx, dy);
    const { cover, light } = cloud;
    const nearness = Math.exp(-distance * 2.2);
    red += (lerp(shaded[0], lerp(litFar[0], lit[0], nearness), light) - red) * cover;
    green += (lerp(shaded[1], lerp(litFar[1], lit[1], nearness), light) - green) * cover;
    blue += (lerp(shaded[2], lerp(litFar[2], lit[2], nearness), light) - blue) * cover;
  }
  out[0] = red;
  out[1] = green;
  out[2] = blue;
}

/**
 * Finds the clouds at a place. Clouds lie on a ceiling seen from below, so they become smaller and flatter towards the
 * horizon.
 */
function findCloud(air: Air, across: number, rise: number, dx: number, dy: number): void {
  const { noise, threshold, octaves, cloud } = air;
  const away = 1 / (rise + 0.16);
  const u = across * away * 0.75 * air.stretch + air.drift;
  const v = away * 1.5;
  // The shapes of clouds move more slowly, so that the clouds change as they move.
  const bend = u * 0.9 - air.drift * 0.5;
  const warpX = noise.at(bend + 9.1, v * 0.9) * 0.5;
  const warpY = noise.at(bend, v * 0.9 + 4.7) * 0.36;
  const density = noise.fbm(u + warpX, v + warpY, octaves) * 0.72 + 0.5;
  const cover = smoothstep(threshold, threshold + 0.24, density);
  cloud.cover = cover * smoothstep(0, 0.12, rise) * 0.94;
  cloud.light = 0;
  if (cover <= 0) return;
  const length = Math.sqrt(dx * dx + dy * dy) + 0.05;
  const towards =
    noise.fbm(u + warpX - (dx / length) * 0.16, v + warpY + (dy / length) * 0.22, 2) * 0.72 + 0.5;
  cloud.light = clamp(0.62 + (density - towards) * 2.4 - (density - threshold) * 0.9);
}
