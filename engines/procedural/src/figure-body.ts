import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, shade } from './colour.ts';
import { mirrored, type Figure } from './figure.ts';

/** Draws neck, shoulders and clothes. Lengths are in heads. */
export function drawBody(context: SKRSContext2D, figure: Figure): void {
  const { tones, manly } = figure;
  const neck = manly ? 0.2 : 0.145;
  mirrored(
    context,
    [neck, 0.2],
    [
      [neck, 0.5, neck * 0.95, 0.66, neck * 1.5, 0.8],
      [neck * 2, 0.9, 0.4, 0.95, 0.46, 1.3],
    ],
  );
  const skin = context.createLinearGradient(-neck * figure.light * -1, 0, neck * figure.light * -1, 0);
  skin.addColorStop(0, css(tones.skin));
  skin.addColorStop(1, css(tones.skinShade));
  context.fillStyle = figure.bold ? css(tones.skin) : skin;
  context.fill();
  // The shadow of the chin on the neck.
  context.save();
  context.clip();
  context.fillStyle = css(tones.skinShade, figure.bold ? 1 : 0.75);
  context.beginPath();
  context.ellipse(-figure.light * 0.06, 0.36, 0.34, 0.27, -figure.light * 0.15, 0, Math.PI * 2);
  context.fill();
  context.restore();
  drawGarment(context, figure);
}

function drawGarment(context: SKRSContext2D, figure: Figure): void {
  const { tones, manly, random, bold, light } = figure;
  const wide = manly ? 1.02 : 0.86;
  const collar = figure.random.fork('collar').int(3);
  const open = collar === 0 ? 0.26 : collar === 1 ? 0.17 : 0.3;
  const depth = collar === 0 ? 1.16 : collar === 1 ? 0.72 : 0.92;
  context.beginPath();
  context.moveTo(-open, 0.74);
  context.quadraticCurveTo(collar === 0 ? -0.1 : -open * 0.8, depth, 0, depth);
  context.quadraticCurveTo(collar === 0 ? 0.1 : open * 0.8, depth, open, 0.74);
  context.bezierCurveTo(open + 0.16, 0.86, wide * 0.72, 0.9, wide * 0.88, 1.06);
  context.bezierCurveTo(wide * 1.06, 1.22, wide * 1.1, 1.6, wide * 1.14, 2.4);
  context.lineTo(-wide * 1.14, 2.4);
  context.bezierCurveTo(-wide * 1.1, 1.6, -wide * 1.06, 1.22, -wide * 0.88, 1.06);
  context.bezierCurveTo(-wide * 0.72, 0.9, -open - 0.16, 0.86, -open, 0.74);
  context.closePath();
  const fill = context.createLinearGradient(light * wide, 0.7, -light * wide, 1.6);
  fill.addColorStop(0, css(bold ? tones.cloth : tones.clothLight));
  fill.addColorStop(bold ? 0.5 : 0.4, css(tones.cloth));
  fill.addColorStop(bold ? 0.501 : 1, css(tones.clothDark));
  context.fillStyle = fill;
  context.fill();
  context.save();
  context.clip();
  if (collar === 1) rollNeck(context, figure);
  decorate(context, figure, random.fork('pattern').int(4));
  context.restore();
}

function rollNeck(context: SKRSContext2D, { tones }: Figure): void {
  context.strokeStyle = css(tones.clothDark, 0.6);
  context.lineWidth = 0.012;
  for (let fold = 0; fold < 4; fold++) {
    context.beginPath();
    context.moveTo(-0.3, 0.77 + fold * 0.035);
    context.quadraticCurveTo(0, 0.84 + fold * 0.05, 0.3, 0.77 + fold * 0.035);
    context.stroke();
  }
}

/** Draws folds, stripes, dots or an embroidered hem. All follow the slope of the shoulders. */
function decorate(context: SKRSContext2D, figure: Figure, pattern: number): void {
  const { tones, random } = figure;
  const thread = figure.random.fork('thread').chance(0.5)
    ? tones.ornament
    : mix(tones.cloth, tones.clothLight, 0.9);
  if (pattern === 0) {
    for (let fold = 0; fold < 15; fold++) {
      const x = (fold / 14 - 0.5) * 2;
      context.strokeStyle = css(fold % 2 ? tones.clothDark : tones.clothLight, 0.32);
      context.lineWidth = random.range(0.008, 0.03);
      context.beginPath();
      context.moveTo(x * 0.34, 0.85);
      context.quadraticCurveTo(x * 0.75 + random.range(-0.05, 0.05), 1.2, x * 1.25, 2);
      context.stroke();
    }
    return;
  }
  context.strokeStyle = css(thread, 0.9);
  context.fillStyle = css(thread, 0.9);
  for (let row = 0; row < (pattern === 1 ? 9 : 7); row++) {
    const y = 0.98 + row * 0.1;
    if (pattern === 1) {
      context.lineWidth = row % 3 === 0 ? 0.03 : 0.012;
      context.beginPath();
      context.moveTo(-1.3, y + 0.3);
      context.quadraticCurveTo(0, y - 0.2, 1.3, y + 0.3);
      context.stroke();
    } else if (pattern === 2) {
      for (let dot = -7; dot <= 7; dot++) {
        const x = (dot + (row % 2) * 0.5) * 0.15;
        context.beginPath();
        context.arc(x, y + x * x * 0.22, 0.018, 0, Math.PI * 2);
        context.fill();
      }
    } else if (row < 2) {
      for (let bead = 0; bead <= 24; bead++) {
        const angle = Math.PI * (0.12 + (bead / 24) * 0.76);
        const reach = 0.42 + row * 0.1;
        context.beginPath();
        context.arc(
          Math.cos(angle) * reach,
          0.72 + Math.sin(angle) * reach * 0.8,
          row === 0 ? 0.022 : 0.014,
          0,
          Math.PI * 2,
        );
        context.fill();
      }
    }
  }
}

/** Draws head and ears, without the face. */
export function drawHead(context: SKRSContext2D, figure: Figure): void {
  const { tones, light, bold, manly } = figure;
  for (const side of [-1, 1]) {
    context.fillStyle = css(side === light ? tones.skin : tones.skinShade);
    context.beginPath();
    context.ellipse(side * 0.365, 0.06, 0.05, 0.095, side * 0.15, 0, Math.PI * 2);
    context.fill();
  }
  const jaw = manly ? 0.3 : 0.255;
  mirrored(
    context,
    [0, -0.52],
    [
      [0.24, -0.52, 0.378, -0.36, 0.37, -0.08],
      [0.368, 0.08, 0.345, 0.22, jaw, 0.35],
      [jaw * 0.74, 0.445, manly ? 0.13 : 0.09, 0.5, 0, 0.5],
    ],
  );
  context.save();
  context.clip();
  context.fillStyle = css(tones.skin);
  context.fillRect(-0.5, -0.6, 1, 1.2);
  if (bold) {
    context.fillStyle = css(tones.skinShade);
    context.beginPath();
    context.moveTo(figure.gaze * 0.02, -0.6);
    context.lineTo(figure.gaze * 0.03, -0.05);
    context.lineTo(figure.gaze * 0.03 - light * 0.055, 0.19);
    context.lineTo(figure.gaze * 0.03, 0.24);
    context.quadraticCurveTo(-light * 0.02, 0.4, 0, 0.6);
    context.lineTo(-light * 0.6, 0.6);
    context.lineTo(-light * 0.6, -0.6);
    context.fill();
  } else {
    softShade(context, figure);
  }
  context.restore();
}

function softShade(context: SKRSContext2D, { tones, light }: Figure): void {
  const side = context.createLinearGradient(light * 0.42, -0.1, -light * 0.42, 0.12);
  side.addColorStop(0, css(tones.skinLight, 0.75));
  side.addColorStop(0.42, css(tones.skin, 0));
  side.addColorStop(0.6, css(tones.skinShade, 0.12));
  side.addColorStop(1, css(tones.skinShade, 0.95));
  context.fillStyle = side;
  context.fillRect(-0.5, -0.6, 1, 1.2);
  const brow = context.createLinearGradient(0, -0.5, 0, -0.2);
  brow.addColorStop(0, css(tones.skinShade, 0.6));
  brow.addColorStop(1, css(tones.skinShade, 0));
  context.fillStyle = brow;
  context.fillRect(-0.5, -0.6, 1, 0.5);
  for (const cheek of [-1, 1]) {
    const blush = context.createRadialGradient(cheek * 0.2, 0.16, 0, cheek * 0.2, 0.16, 0.15);
    blush.addColorStop(0, css(shade(tones.lips, 1.12), 0.3));
    blush.addColorStop(1, css(tones.lips, 0));
    context.fillStyle = blush;
    context.fillRect(-0.5, -0.1, 1, 0.6);
  }
}
