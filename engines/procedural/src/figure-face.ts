import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix, shade } from './colour.ts';
import type { Figure } from './figure.ts';

/** Draws eyes, brows, nose and mouth, turned a little in the direction of the gaze. */
export function drawFace(context: SKRSContext2D, figure: Figure): void {
  context.save();
  context.translate(figure.gaze * 0.035, 0);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  if (figure.traits.has('robot')) drawVisor(context, figure);
  else {
    for (const side of [-1, 1]) {
      context.save();
      // The far eye is a little narrower.
      context.translate(side * 0.165, 0.015);
      context.scale((side === figure.gaze ? 0.88 : 1) * side, 1);
      drawEye(context, figure);
      drawBrow(context, figure);
      context.restore();
    }
  }
  drawNose(context, figure);
  drawMouth(context, figure);
  if (figure.traits.has('beard')) drawBeard(context, figure);
  if (figure.traits.has('glasses')) drawGlasses(context, figure);
  context.restore();
}

function drawEye(context: SKRSContext2D, figure: Figure): void {
  const { tones, eyesOpen, bold, scene } = figure;
  context.fillStyle = css(tones.skinDeep, bold ? 0.45 : 0.22);
  context.beginPath();
  context.moveTo(-0.082, 0.012);
  context.quadraticCurveTo(0.005, -0.075, 0.095, -0.006);
  context.quadraticCurveTo(0.01, 0.035, -0.082, 0.012);
  context.fill();
  if (eyesOpen) {
    context.save();
    context.beginPath();
    context.moveTo(-0.078, 0.014);
    context.quadraticCurveTo(0, -0.052, 0.082, 0);
    context.quadraticCurveTo(0.005, 0.048, -0.078, 0.014);
    context.fillStyle = css(mix({ l: 0.96, c: 0.01, h: 80 }, tones.skin, 0.18));
    context.fill();
    context.clip();
    const iris = mix({ l: 0.5, c: 0.08, h: scene.palette.accent.h }, tones.hairDark, 0.25);
    disc(context, 0.004, -0.004, 0.036, css(iris));
    disc(context, 0.004, -0.004, 0.017, css(tones.line));
    disc(context, 0.014, -0.015, 0.0085, 'rgba(255,255,255,0.9)');
    context.restore();
  }
  context.strokeStyle = css(tones.line);
  context.lineWidth = bold ? 0.018 : 0.013;
  context.beginPath();
  context.moveTo(-0.082, eyesOpen ? 0.014 : 0.004);
  context.quadraticCurveTo(0.004, eyesOpen ? -0.056 : 0.05, 0.088, eyesOpen ? -0.004 : 0.002);
  context.stroke();
  if (figure.manly) return;
  context.lineWidth = 0.009;
  for (let lash = 0; lash < 4; lash++) {
    const t = 0.45 + lash * 0.17;
    const x = -0.082 + t * 0.17;
    const y = eyesOpen ? -0.02 - (1 - t) * 0.016 : 0.026 * (1 - (t - 0.5) ** 2 * 4) + 0.004;
    context.beginPath();
    context.moveTo(x, y);
    context.quadraticCurveTo(
      x + 0.012,
      y + (eyesOpen ? -0.012 : 0.014),
      x + 0.02 + t * 0.008,
      y + (eyesOpen ? -0.026 : 0.026),
    );
    context.stroke();
  }
}

function drawBrow(context: SKRSContext2D, { tones, manly, bold }: Figure): void {
  const thick = (manly ? 0.034 : 0.02) * (bold ? 1.25 : 1);
  context.fillStyle = css(mix(tones.hairDark, tones.line, 0.3), 0.92);
  context.beginPath();
  context.moveTo(-0.095, -0.104);
  context.quadraticCurveTo(0.0, -0.156, 0.118, -0.096);
  context.quadraticCurveTo(0.005, -0.15 + thick * 1.5, -0.095, -0.104 + thick);
  context.closePath();
  context.fill();
}

function drawNose(context: SKRSContext2D, { tones, gaze, bold, light, traits }: Figure): void {
  if (traits.has('robot')) return;
  if (!bold) {
    context.fillStyle = css(tones.skinLight, 0.55);
    context.beginPath();
    context.ellipse(gaze * 0.008, 0.15, 0.013, 0.055, 0, 0, Math.PI * 2);
    context.fill();
    const under = context.createRadialGradient(0, 0.225, 0, 0, 0.225, 0.075);
    under.addColorStop(0, css(tones.skinShade, 0.85));
    under.addColorStop(1, css(tones.skinShade, 0));
    context.fillStyle = under;
    context.fillRect(-0.1, 0.17, 0.2, 0.12);
  }
  context.strokeStyle = css(mix(tones.skinDeep, tones.skin, bold ? 0 : 0.25));
  context.lineWidth = bold ? 0.015 : 0.011;
  context.beginPath();
  const side = bold ? -light : gaze;
  context.moveTo(side * 0.035, -0.045);
  context.bezierCurveTo(side * 0.018, 0.05, side * 0.03, 0.12, side * 0.056, 0.185);
  context.quadraticCurveTo(side * 0.058, 0.222, side * 0.01, 0.222);
  context.stroke();
}

function drawMouth(context: SKRSContext2D, { tones, manly, traits }: Figure): void {
  if (traits.has('robot')) return;
  const wide = manly ? 0.098 : 0.086;
  const full = manly ? 0.62 : 1;
  const tone = manly ? mix(tones.lips, tones.skin, 0.42) : tones.lips;
  context.fillStyle = css(shade(tone, 0.86));
  context.beginPath();
  context.moveTo(-wide, 0.318);
  context.bezierCurveTo(-0.045, 0.318 - 0.03 * full, -0.02, 0.318 - 0.04 * full, 0, 0.318 - 0.022 * full);
  context.bezierCurveTo(0.02, 0.318 - 0.04 * full, 0.045, 0.318 - 0.03 * full, wide, 0.318);
  context.quadraticCurveTo(0, 0.332, -wide, 0.318);
  context.fill();
  context.fillStyle = css(tone);
  context.beginPath();
  context.moveTo(-wide, 0.318);
  context.quadraticCurveTo(0, 0.332, wide, 0.318);
  context.bezierCurveTo(0.05, 0.318 + 0.06 * full, -0.05, 0.318 + 0.06 * full, -wide, 0.318);
  context.fill();
  context.strokeStyle = css(shade(tone, 0.55));
  context.lineWidth = 0.008;
  context.beginPath();
  context.moveTo(-wide, 0.317);
  context.quadraticCurveTo(0, 0.333, wide, 0.316);
  context.stroke();
}

function drawBeard(context: SKRSContext2D, figure: Figure): void {
  const { tones, random } = figure;
  const strands = random.fork('beard');
  context.fillStyle = css(tones.hair);
  context.beginPath();
  context.moveTo(-0.345, 0.08);
  context.bezierCurveTo(-0.36, 0.4, -0.25, 0.68, 0, 0.74);
  context.bezierCurveTo(0.25, 0.68, 0.36, 0.4, 0.345, 0.08);
  context.bezierCurveTo(0.27, 0.24, 0.17, 0.235, 0.1, 0.262);
  context.quadraticCurveTo(0, 0.235, -0.1, 0.262);
  context.bezierCurveTo(-0.17, 0.235, -0.27, 0.24, -0.345, 0.08);
  context.fill();
  for (let strand = 0; strand < 70; strand++) {
    const x = strands.range(-0.27, 0.27);
    const y = strands.range(0.3, 0.46) + (0.3 - Math.abs(x)) * 0.28;
    context.strokeStyle = css(strands.chance(0.5) ? tones.hairDark : tones.hairLight, 0.55);
    context.lineWidth = 0.008;
    context.beginPath();
    context.moveTo(x, y);
    context.quadraticCurveTo(x * 0.95, y + 0.07, x * 0.82, y + 0.13);
    context.stroke();
  }
  drawMouth(context, figure);
}

function drawGlasses(context: SKRSContext2D, { tones, light }: Figure): void {
  context.strokeStyle = css(tones.line);
  context.lineWidth = 0.018;
  for (const side of [-1, 1]) {
    context.fillStyle = css({ l: 0.92, c: 0.02, h: 220 }, 0.2);
    context.beginPath();
    context.ellipse(side * 0.165, 0.02, 0.118, 0.1, 0, 0, Math.PI * 2);
    context.fill();
    context.stroke();
    context.beginPath();
    context.moveTo(side * 0.283, 0);
    context.lineTo(side * 0.36, -0.02);
    context.stroke();
  }
  context.beginPath();
  context.moveTo(-0.048, 0.005);
  context.quadraticCurveTo(0, -0.025, 0.048, 0.005);
  context.stroke();
  context.strokeStyle = 'rgba(255,255,255,0.5)';
  context.lineWidth = 0.012;
  context.beginPath();
  context.arc(light * 0.165, 0.02, 0.085, -2.4, -1.7);
  context.stroke();
}

/** Draws a robot's face: a lit band in place of the eyes, a grille in place of the mouth. */
function drawVisor(context: SKRSContext2D, { tones, scene }: Figure): void {
  const glow = { l: 0.82, c: 0.15, h: scene.palette.accent.h };
  context.fillStyle = css(tones.line);
  context.beginPath();
  context.roundRect(-0.31, -0.075, 0.62, 0.17, 0.085);
  context.fill();
  for (const side of [-1, 1]) {
    const light = context.createRadialGradient(side * 0.15, 0.01, 0, side * 0.15, 0.01, 0.09);
    light.addColorStop(0, css({ ...glow, l: 0.97 }));
    light.addColorStop(0.35, css(glow));
    light.addColorStop(1, css(glow, 0));
    context.fillStyle = light;
    context.fillRect(side * 0.15 - 0.1, -0.075, 0.2, 0.17);
  }
  context.strokeStyle = css(tones.skinDeep, 0.8);
  context.lineWidth = 0.01;
  for (const y of [0.28, 0.31, 0.34, 0.37]) {
    context.beginPath();
    context.moveTo(-0.1, y);
    context.lineTo(0.1, y);
    context.stroke();
  }
  context.beginPath();
  context.moveTo(0, -0.5);
  context.lineTo(0, -0.12);
  context.moveTo(-0.36, 0.16);
  context.lineTo(-0.2, 0.22);
  context.lineTo(-0.17, 0.46);
  context.moveTo(0.36, 0.16);
  context.lineTo(0.2, 0.22);
  context.lineTo(0.17, 0.46);
  context.stroke();
}

function disc(context: SKRSContext2D, x: number, y: number, radius: number, fill: string): void {
  context.fillStyle = fill;
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fill();
}
