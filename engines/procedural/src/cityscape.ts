import type { SKRSContext2D } from '@napi-rs/canvas';
import { paintAurora, paintLuminary, paintStars } from './celestial.ts';
import { paintSkyline } from './city.ts';
import { css, mix, shade, smoothstep, type Colour } from './colour.ts';
import { fromCanvas, toCanvas, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintWater } from './water.ts';

/** Paints a skyline across still water, by day or by night. */
export function paintCityscape(city: Scene): Raster {
  const scene: Scene = {
    ...city,
    horizon: city.random.fork('quay').range(0.66, 0.74),
    water: 'sea',
    land: 'sea',
  };
  const { palette, width, height, mood } = scene;
  const raster = paintSky(scene);
  paintAurora(raster, scene);
  paintLuminary(raster, scene);
  const { canvas, context } = toCanvas(raster);
  paintStars(context, scene, scene.horizon * 0.7);
  const ground = Math.round(scene.horizon * height);
  const neon = neonColours(scene);
  // Lamps light up as daylight fades.
  const dark = 1 - smoothstep(0.42, 0.66, palette.exposure);
  if (dark > 0) warmHorizon(context, scene, ground, neon[0] ?? palette.accent, dark);
  const lamp: Colour = { l: 0.88, c: 0.1, h: 78 };
  paintSkyline(context, scene, {
    ground,
    lit: dark * (0.62 + scene.look.detail * 0.35),
    windows: [
      lamp,
      { l: 0.93, c: 0.05, h: 95 },
      { l: 0.86, c: 0.07, h: 230 },
      ...neon.map((tone) => shade(tone, 1.1)),
    ],
    neon: dark < 0.5 ? [] : mood.chroma > -0.2 ? neon : neon.slice(0, 1),
    far: mix(mix(palette.haze, palette.sky[3], 0.5), neon[0] ?? palette.accent, dark * 0.16),
    near: mix(shade(palette.dark, 0.85), { ...palette.rock, l: palette.rock.l * 0.8 }, 0.35 * (1 - dark)),
  });
  const mirror = fromCanvas(canvas);
  const water = new Uint8Array(width * height);
  water.fill(1, ground * width);
  paintWater(mirror, { water }, scene);
  return mirror;
}

function neonColours(scene: Scene): Colour[] {
  const { mood, palette } = scene;
  const mono = palette.accent.c < 0.03;
  const chroma = mono ? 0.01 : scene.look.palette === 'pastel' ? 0.11 : 0.21;
  const named = mood.colours.filter(({ c }) => c > 0.04).map(({ h }) => h);
  const first = named[0] ?? scene.random.fork('neon').pick([345, 200, 300, 25]);
  const second = named[1] ?? first + scene.random.fork('neon 2').pick([150, -140, 95]);
  return [first, second, first + 40].map((h) => ({ l: 0.72, c: chroma, h }));
}

/** Adds the light of the city to the air above it. */
function warmHorizon(
  context: SKRSContext2D,
  scene: Scene,
  ground: number,
  tone: Colour,
  strength: number,
): void {
  const { width, height } = scene;
  const light = context.createRadialGradient(
    scene.focus * width,
    ground,
    0,
    scene.focus * width,
    ground,
    height * 0.62,
  );
  const warm = mix(tone, scene.palette.glow, 0.35);
  light.addColorStop(0, css({ ...warm, l: 0.66 }, 0.62 * strength));
  light.addColorStop(0.4, css({ ...warm, l: 0.5 }, 0.24 * strength));
  light.addColorStop(1, css({ ...warm, l: 0.4 }, 0));
  context.fillStyle = light;
  context.fillRect(0, 0, width, ground);
}
