import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, shade, type Colour } from './colour.ts';
import { mirrored, type Figure } from './figure.ts';

/** Draws what rises behind the head. Called before the body is drawn. */
export function drawWearBehind(context: SKRSContext2D, figure: Figure): void {
  const { traits, tones } = figure;
  if (traits.has('hood')) {
    context.fillStyle = css(tones.clothDark);
    mirrored(
      context,
      [0, -0.78],
      [
        [0.4, -0.74, 0.6, -0.34, 0.56, 0.1],
        [0.54, 0.5, 0.6, 0.8, 0.86, 1.1],
        [0.6, 1.3, 0.2, 1.3, 0, 1.3],
      ],
    );
    context.fill();
  }
  if (traits.has('animal-ears')) {
    for (const side of [-1, 1]) {
      for (const [scale, tone] of [
        [1, tones.hair],
        [0.6, tones.lips],
      ] as const) {
        context.fillStyle = css(tone);
        context.beginPath();
        context.moveTo(side * (0.27 - 0.13 * scale), -0.48);
        context.quadraticCurveTo(side * 0.33, -0.5 - 0.5 * scale, side * 0.4, -0.52 - 0.44 * scale);
        context.quadraticCurveTo(side * 0.5, -0.5 - 0.2 * scale, side * (0.3 + 0.14 * scale), -0.32);
        context.fill();
      }
    }
  }
}

/** Draws what is worn over the hair. */
export function drawWear(context: SKRSContext2D, figure: Figure): void {
  const { traits, manly, random, bold } = figure;
  const adorned = random.fork('adorned');
  if (traits.has('hood')) drawHood(context, figure);
  if (traits.has('hat')) drawHat(context, figure);
  else if (traits.has('crown')) drawCrown(context, figure);
  else if (
    traits.has('wreath') ||
    (!manly &&
      !bold &&
      !traits.has('helmet') &&
      !traits.has('hood') &&
      !traits.has('robot') &&
      adorned.chance(0.5))
  ) {
    drawWreath(context, figure);
  }
  if (
    traits.has('earrings') ||
    (!manly && !traits.has('robot') && figure.hair !== 'long' && adorned.chance(0.6))
  )
    drawEarrings(context, figure);
  if (traits.has('robot')) drawAntenna(context, figure);
}

function drawHood(context: SKRSContext2D, { tones, light }: Figure): void {
  for (const side of [-1, 1]) {
    context.fillStyle = css(side === light ? tones.cloth : tones.clothDark);
    context.beginPath();
    context.moveTo(0, -0.8);
    context.bezierCurveTo(side * 0.44, -0.78, side * 0.62, -0.34, side * 0.56, 0.1);
    context.bezierCurveTo(side * 0.52, 0.46, side * 0.44, 0.7, side * 0.1, 0.86);
    context.bezierCurveTo(side * 0.36, 0.5, side * 0.42, 0.1, side * 0.36, -0.2);
    context.bezierCurveTo(side * 0.3, -0.46, side * 0.14, -0.54, 0, -0.56);
    context.fill();
  }
}

function drawHat(context: SKRSContext2D, { tones, scene }: Figure): void {
  const felt: Colour = mix(tones.clothDark, scene.palette.dark, 0.3);
  context.fillStyle = css(felt);
  context.beginPath();
  context.moveTo(-0.34, -0.4);
  context.bezierCurveTo(-0.36, -0.75, -0.24, -0.98, 0, -0.95);
  context.bezierCurveTo(0.24, -0.98, 0.36, -0.75, 0.34, -0.4);
  context.fill();
  context.fillStyle = css(tones.ornament);
  context.fillRect(-0.35, -0.52, 0.7, 0.1);
  context.fillStyle = css(shade(felt, 1.15));
  context.beginPath();
  context.ellipse(0, -0.4, 0.74, 0.13, 0, 0, Math.PI * 2);
  context.fill();
}

function drawCrown(context: SKRSContext2D, { tones, scene }: Figure): void {
  const gold = context.createLinearGradient(-0.4, 0, 0.4, 0);
  gold.addColorStop(0, css(shade(tones.ornament, 0.7)));
  gold.addColorStop(0.45, css(shade(tones.ornament, 1.12)));
  gold.addColorStop(1, css(shade(tones.ornament, 0.75)));
  context.fillStyle = gold;
  context.beginPath();
  context.moveTo(-0.36, -0.42);
  const points = 5;
  for (let point = 0; point < points; point++) {
    const x = -0.38 + (point / (points - 1)) * 0.76;
    context.lineTo(x, -0.78 - Math.sin((point / (points - 1)) * Math.PI) * 0.12);
    if (point < points - 1) context.lineTo(x + 0.095, -0.58);
  }
  context.lineTo(0.36, -0.42);
  context.quadraticCurveTo(0, -0.36, -0.36, -0.42);
  context.fill();
  for (let point = 0; point < points; point++) {
    const x = -0.38 + (point / (points - 1)) * 0.76;
    gem(context, x, -0.79 - Math.sin((point / (points - 1)) * Math.PI) * 0.12, 0.03, tones.ornament);
    if (point > 0 && point < points - 1) gem(context, x * 0.9, -0.475, 0.034, scene.palette.accent);
  }
}

function drawWreath(context: SKRSContext2D, { random, scene, light }: Figure): void {
  const wreath = random.fork('wreath');
  const { palette } = scene;
  const leaf = { ...palette.foliage, l: 0.42 + palette.exposure * 0.2 };
  const blooms = [palette.blossom, { ...palette.accent, l: 0.74 }, { l: 0.94, c: 0.03, h: 80 }];
  for (let index = 0; index < 30; index++) {
    const angle = Math.PI * (1.1 + (index / 29) * 0.8);
    const x = Math.cos(angle) * 0.43;
    const y = -0.08 + Math.sin(angle) * 0.47;
    context.fillStyle = css(shade(leaf, wreath.range(0.7, 1.25)));
    context.beginPath();
    context.ellipse(x, y, 0.085, 0.03, angle + wreath.range(-0.9, 0.9), 0, Math.PI * 2);
    context.fill();
  }
  for (let index = 0; index < 11; index++) {
    const angle = Math.PI * (1.14 + ((index + wreath.range(-0.25, 0.25)) / 10) * 0.72);
    const size = wreath.range(0.05, 0.088);
    flower(
      context,
      Math.cos(angle) * 0.43,
      -0.08 + Math.sin(angle) * 0.48,
      size,
      blooms[index % 3] ?? palette.blossom,
      light,
      wreath.range(0, 6),
    );
  }
}

/** Draws two rings of petals around a bright centre. */
export function flower(
  context: SKRSContext2D,
  x: number,
  y: number,
  size: number,
  tone: Colour,
  light: number,
  turned: number,
): void {
  for (const [ring, shine] of [
    [1, 0.86],
    [0.62, 1.06],
  ] as const) {
    for (let petal = 0; petal < 6; petal++) {
      const angle = turned + (petal / 6) * Math.PI * 2 + ring;
      const lit = 1 + Math.cos(angle - (light > 0 ? -0.7 : -2.4)) * 0.09;
      context.fillStyle = css(shade(tone, shine * lit));
      context.beginPath();
      context.ellipse(
        x + Math.cos(angle) * size * 0.55 * ring,
        y + Math.sin(angle) * size * 0.55 * ring,
        size * 0.56 * ring,
        size * 0.36 * ring,
        angle,
        0,
        Math.PI * 2,
      );
      context.fill();
    }
  }
  context.fillStyle = css({ l: 0.84, c: Math.min(0.13, tone.c), h: 80 });
  context.beginPath();
  context.arc(x, y, size * 0.2, 0, Math.PI * 2);
  context.fill();
}

function drawEarrings(context: SKRSContext2D, { tones, scene }: Figure): void {
  for (const side of [-1, 1]) {
    context.strokeStyle = css(tones.ornament);
    context.lineWidth = 0.012;
    context.beginPath();
    context.moveTo(side * 0.372, 0.15);
    context.lineTo(side * 0.375, 0.22);
    context.stroke();
    gem(context, side * 0.376, 0.26, 0.042, scene.palette.accent);
    gem(context, side * 0.376, 0.335, 0.026, tones.ornament);
  }
}

function gem(context: SKRSContext2D, x: number, y: number, size: number, tone: Colour): void {
  const shine = context.createRadialGradient(x - size * 0.3, y - size * 0.3, 0, x, y, size);
  shine.addColorStop(0, css(mix(tone, { l: 1, c: 0, h: 0 }, 0.6)));
  shine.addColorStop(1, css(shade(tone, 0.8)));
  context.fillStyle = shine;
  context.beginPath();
  context.arc(x, y, size, 0, Math.PI * 2);
  context.fill();
}

function drawAntenna(context: SKRSContext2D, { tones, scene }: Figure): void {
  context.fillStyle = css(tones.skinShade);
  for (const side of [-1, 1]) {
    context.beginPath();
    context.roundRect(side * 0.39 - 0.05, -0.08, 0.1, 0.26, 0.03);
    context.fill();
  }
  context.strokeStyle = css(tones.skinDeep);
  context.lineWidth = 0.02;
  context.beginPath();
  context.moveTo(0.39, -0.06);
  context.lineTo(0.44, -0.62);
  context.stroke();
  gem(context, 0.44, -0.64, 0.035, { l: 0.75, c: 0.17, h: scene.palette.accent.h });
}

/** Draws a glass bubble on a metal collar. The glass reflects the sky. */
export function drawHelmet(context: SKRSContext2D, { tones, scene, light, traits }: Figure): void {
  if (!traits.has('helmet')) return;
  const { palette } = scene;
  context.fillStyle = css(mix({ l: 0.86, c: 0.015, h: 240 }, palette.haze, 0.25));
  context.beginPath();
  context.ellipse(0, 0.82, 0.62, 0.15, 0, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = css(tones.clothDark, 0.5);
  context.beginPath();
  context.ellipse(0, 0.785, 0.54, 0.09, 0, 0, Math.PI * 2);
  context.fill();
  const glass = context.createRadialGradient(light * 0.3, -0.42, 0.05, 0, 0, 0.84);
  glass.addColorStop(0, css(palette.glow, 0.42));
  glass.addColorStop(0.45, css(palette.sky[2], 0.07));
  glass.addColorStop(0.86, css(palette.sky[1], 0.26));
  glass.addColorStop(1, css({ l: 0.95, c: 0.02, h: 240 }, 0.75));
  context.fillStyle = glass;
  context.beginPath();
  context.arc(0, 0.04, 0.86, Math.PI * 0.69, Math.PI * 2.31);
  context.fill();
  context.strokeStyle = 'rgba(255,255,255,0.55)';
  context.lineWidth = 0.035;
  context.lineCap = 'round';
  context.beginPath();
  context.arc(0, 0, 0.7, light > 0 ? -1.15 : -2.5, light > 0 ? -0.5 : -1.95);
  context.stroke();
}
