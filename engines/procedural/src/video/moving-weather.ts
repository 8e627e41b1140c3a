import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, type Colour } from '../colour.ts';
import type { Random } from '../random.ts';
import type { Scene } from '../scene.ts';
import { paintLightning } from '../weather.ts';

/** Draws falling, flying or glowing things in front of a frame at one moment. `strength` 0–1 fades them in. */
export type MovingWeather = (context: SKRSContext2D, seconds: number, strength: number) => void;

/** Creates snow, rain, birds, fireflies or motes, as the words ask. There is always something small that moves. */
export function createMovingWeather(scene: Scene): MovingWeather {
  const { mood, palette } = scene;
  const layers: MovingWeather[] = [];
  if (mood.weather.snow > 0.3) layers.push(createSnow(scene));
  if (mood.weather.rain > 0) layers.push(createRain(scene));
  if (mood.weather.storm > 0 || mood.sky.has('lightning')) layers.push(createLightning(scene));
  if (mood.places.has('birds') || birdsFit(scene)) layers.push(createBirds(scene));
  const bare = mood.weather.snow <= 0.3 && mood.weather.rain === 0 && !mood.places.has('space');
  if (bare && palette.exposure < 0.62)
    layers.push(createMotes(scene, mix(palette.glow, palette.disc, 0.4), 34));
  else if (bare) layers.push(createMotes(scene, palette.snow, 18));
  return (context, seconds, strength) => {
    if (strength <= 0) return;
    for (const layer of layers) layer(context, seconds, strength);
    context.globalAlpha = 1;
  };
}

const birdsFit = ({ mood, palette, random }: Scene): boolean =>
  palette.exposure > 0.45 &&
  mood.weather.storm === 0 &&
  (mood.places.has('sea') || mood.places.has('lake') || random.fork('flock').chance(0.45));

function softSpot(tone: Colour): Canvas {
  const canvas = createCanvas(32, 32);
  const context = canvas.getContext('2d');
  const soft = context.createRadialGradient(16, 16, 0, 16, 16, 16);
  soft.addColorStop(0, css(tone, 0.95));
  soft.addColorStop(0.4, css(tone, 0.55));
  soft.addColorStop(1, css(tone, 0));
  context.fillStyle = soft;
  context.fillRect(0, 0, 32, 32);
  return canvas;
}

const wrap = (value: number, span: number) => ((value % span) + span) % span;

function createSnow(scene: Scene): MovingWeather {
  const { width, height, unit, palette, mood } = scene;
  const random = scene.random.fork('snowfall');
  const flake = softSpot(mix(palette.snow, palette.glow, 0.15));
  const flakes = scatter(random, Math.round(420 * mood.weather.snow * Math.max(1, scene.aspect)));
  const wind = 0.02 + mood.weather.wind * 0.12;
  return (context, seconds, strength) => {
    for (const { x, y, near, phase } of flakes) {
      const size = unit * (3 + near * 15);
      const sway = Math.sin(seconds * (0.8 + phase) + phase * 9) * (0.004 + near * 0.012);
      const px = wrap(x + sway + seconds * wind * (0.4 + near), 1.1) - 0.05;
      const py = wrap(y + seconds * (0.05 + near * 0.13), 1.1) - 0.05;
      context.globalAlpha = (0.85 - near * 0.4) * strength;
      context.drawImage(flake, px * width - size / 2, py * height - size / 2, size, size);
    }
  };
}

function createRain(scene: Scene): MovingWeather {
  const { width, height, unit, palette, mood } = scene;
  const random = scene.random.fork('rain');
  const slant = 0.1 + mood.weather.wind * 0.3 + mood.weather.storm * 0.15;
  const drops = scatter(random, Math.round(460 * mood.weather.rain * scene.aspect));
  const tone = mix(palette.haze, palette.snow, 0.45);
  // Three depths with one path each: a stroke for every drop would take longer than everything else.
  const depths = [0.2, 0.5, 0.9].map((near) => ({
    near,
    style: css(tone, 0.12 + near * 0.16),
    drops: drops.filter((drop) => Math.abs(drop.near - near) <= 0.2 || (near === 0.9 && drop.near > 0.7)),
  }));
  return (context, seconds, strength) => {
    context.globalAlpha = strength;
    context.lineCap = 'round';
    for (const depth of depths) {
      const length = unit * (16 + depth.near * 46);
      context.strokeStyle = depth.style;
      context.lineWidth = unit * (0.8 + depth.near * 1.2);
      context.beginPath();
      for (const { x, y, phase } of depth.drops) {
        const fallen = y + seconds * (1.1 + depth.near * 1.1 + phase * 0.2);
        const py = (wrap(fallen, 1.1) - 0.05) * height;
        const px = (wrap(x - Math.floor(fallen / 1.1) * 0.37, 1.2) - 0.1) * width - py * slant * 0.4;
        context.moveTo(px, py);
        context.lineTo(px - length * slant, py + length);
      }
      context.stroke();
    }
  };
}

function createBirds(scene: Scene): MovingWeather {
  const { width, height, unit, palette } = scene;
  const random = scene.random.fork('birds');
  const way = random.chance(0.5) ? 1 : -1;
  const start = {
    x: way > 0 ? random.range(0.02, 0.3) : random.range(0.7, 0.98),
    y: random.range(0.3, 0.55),
  };
  const flock = Array.from({ length: 5 + random.int(7) }, () => ({
    x: random.gaussian() * 0.07,
    y: random.gaussian() * 0.028,
    span: unit * random.range(8, 17),
    beat: random.range(5.5, 8),
    phase: random.range(0, 6),
  }));
  const style = css(palette.dark, 0.8);
  return (context, seconds, strength) => {
    context.globalAlpha = strength;
    context.strokeStyle = style;
    context.lineCap = 'round';
    for (const { x, y, span, beat, phase } of flock) {
      const px = (start.x + x + way * seconds * 0.045) * width;
      const py =
        scene.horizon * (start.y + y - seconds * 0.012 + Math.sin(seconds * 0.9 + phase) * 0.008) * height;
      // Birds glide between a few beats of their wings.
      const effort = Math.max(0, Math.sin(seconds * 0.7 + phase));
      const lift = span * (0.28 + 0.4 * effort * Math.sin(seconds * beat + phase));
      context.lineWidth = span * 0.13;
      context.beginPath();
      context.moveTo(px - span, py - lift);
      context.quadraticCurveTo(px - span * 0.35, py - lift * 0.9 - span * 0.1, px, py);
      context.quadraticCurveTo(px + span * 0.35, py - lift * 0.9 - span * 0.1, px + span, py - lift * 0.85);
      context.stroke();
    }
  };
}

/** Seconds from one flash to the next. */
const FLASHES = { from: 1.4, to: 3.4 };
/** Number of different bolts before they repeat. */
const BOLTS = 3;

function createLightning(scene: Scene): MovingWeather {
  const { width, height } = scene;
  const random = scene.random.fork('flashes');
  const bolts = Array.from({ length: BOLTS }, (_, index) => {
    const canvas = createCanvas(width, height);
    const sky = new Set([...scene.mood.sky, 'lightning' as const]);
    paintLightning(canvas.getContext('2d'), {
      ...scene,
      animated: false,
      focus: random.range(0.15, 0.85),
      random: scene.random.fork(`bolt ${index}`),
      mood: { ...scene.mood, sky },
    });
    return { canvas, wait: random.range(FLASHES.from, FLASHES.to) };
  });
  const round = bolts.reduce((sum, { wait }) => sum + wait, 0);
  const light = css({ l: 0.85, c: 0.04, h: 285 }, 1);
  return (context, seconds, strength) => {
    let since = seconds % round;
    for (const { canvas, wait } of bolts) {
      since -= wait;
      // The bolt strikes twice along the same path.
      const again = since > 0.16 ? 0.7 * Math.exp(-(since - 0.16) * 11) : 0;
      const power = since < 0 ? 0 : Math.exp(-since * 13) + again;
      if (power < 0.02) continue;
      context.save();
      context.globalCompositeOperation = 'lighter';
      context.globalAlpha = Math.min(1, power) * strength;
      context.drawImage(canvas, 0, 0);
      context.globalAlpha *= 0.12;
      context.fillStyle = light;
      context.fillRect(0, 0, width, height);
      context.restore();
    }
  };
}

/** Creates fireflies by night, pollen by day. */
function createMotes(scene: Scene, tone: Colour, count: number): MovingWeather {
  const { width, height, unit } = scene;
  const spot = softSpot(tone);
  const motes = scatter(scene.random.fork('motes'), count);
  return (context, seconds, strength) => {
    context.globalCompositeOperation = 'lighter';
    for (const { x, y, near, phase } of motes) {
      const size = unit * (3.5 + near * 11);
      const px = wrap(x + Math.sin(seconds * 0.5 + phase * 7) * 0.02 + seconds * 0.006 * (near + 0.3), 1);
      const py = 0.42 + y * 0.6 + Math.sin(seconds * 0.7 + phase * 11) * 0.016 - seconds * 0.004;
      context.globalAlpha =
        (0.16 + 0.5 * Math.max(0, Math.sin(seconds * (0.9 + phase) + phase * 13))) * 0.7 * strength;
      context.drawImage(spot, px * width - size / 2, py * height - size / 2, size, size);
    }
    context.globalCompositeOperation = 'source-over';
  };
}

function scatter(random: Random, count: number) {
  return Array.from({ length: count }, () => ({
    x: random.range(0, 1.1),
    y: random.range(0, 1.1),
    near: random.next() ** 2,
    phase: random.next(),
  }));
}
