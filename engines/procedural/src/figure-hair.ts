import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix } from './colour.ts';
import { mirrored, type Figure } from './figure.ts';
import { createNoise } from './noise.ts';

/** Draws the hair behind neck and shoulders. Called before the body is drawn. */
export function drawBackHair(context: SKRSContext2D, figure: Figure): void {
  const { tones, hair, bold } = figure;
  context.fillStyle = css(tones.hairDark);
  if (hair === 'long') {
    mirrored(
      context,
      [0, -0.64],
      [
        [0.42, -0.66, 0.53, -0.3, 0.5, 0.05],
        [0.47, 0.4, 0.62, 0.62, 0.56, 1.15],
        [0.5, 1.4, 0.3, 1.45, 0.2, 1.3],
      ],
    );
    context.fill();
    if (!bold) flowStrands(context, figure, true);
  } else if (hair === 'bob') {
    mirrored(
      context,
      [0, -0.64],
      [
        [0.42, -0.66, 0.52, -0.32, 0.5, 0.02],
        [0.5, 0.3, 0.54, 0.44, 0.42, 0.56],
        [0.36, 0.6, 0.28, 0.56, 0.24, 0.4],
      ],
    );
    context.fill();
  } else if (hair === 'bun') {
    disc(context, figure.gaze * -0.05, -0.72, 0.25);
    mirrored(
      context,
      [0, -0.62],
      [
        [0.36, -0.64, 0.46, -0.34, 0.42, 0.02],
        [0.4, 0.16, 0.36, 0.24, 0.3, 0.3],
      ],
    );
    context.fill();
  } else if (hair === 'curly') {
    const curls = figure.random.fork('curls');
    for (let curl = 0; curl < 46; curl++) {
      const angle = Math.PI * (0.86 + (curl / 45) * 1.28);
      const reach = curls.range(0.36, 0.58);
      context.fillStyle = css(mix(tones.hairDark, tones.hair, curls.range(0, 0.5)));
      disc(context, Math.cos(angle) * reach, -0.12 + Math.sin(angle) * reach * 1.02, curls.range(0.1, 0.16));
    }
  }
}

/** Draws the hair around the face. Called after the face is drawn. */
export function drawFrontHair(context: SKRSContext2D, figure: Figure): void {
  const { hair, tones, random } = figure;
  if (hair === 'none') return;
  if (hair === 'curly') {
    const curls = random.fork('fringe');
    for (let curl = 0; curl < 34; curl++) {
      const angle = Math.PI * (1.02 + (curl / 33) * 0.96);
      const reach = curls.range(0.36, 0.5);
      context.fillStyle = css(mix(tones.hairDark, mix(tones.hair, tones.hairLight, 0.5), curls.next()));
      disc(context, Math.cos(angle) * reach * 0.94, -0.13 + Math.sin(angle) * reach, curls.range(0.05, 0.1));
    }
    return;
  }
  if (hair === 'short') {
    cropped(context, figure);
    return;
  }
  for (const side of [-1, 1]) {
    if (hair === 'bun') combedBack(context, figure, side);
    else lock(context, figure, side);
  }
}

/** Draws one half of hair that is combed back over the ear. */
function combedBack(context: SKRSContext2D, figure: Figure, side: number): void {
  const { tones, gaze, light, bold } = figure;
  const part = gaze * -0.1;
  context.fillStyle = css(side === light ? tones.hair : mix(tones.hair, tones.hairDark, bold ? 0.55 : 0.4));
  context.beginPath();
  context.moveTo(part, -0.46);
  context.bezierCurveTo(side * 0.2, -0.42, side * 0.31, -0.26, side * 0.345, -0.06);
  context.quadraticCurveTo(side * 0.37, 0.06, side * 0.4, 0.1);
  context.bezierCurveTo(side * 0.47, -0.34, side * 0.34, -0.66, part, -0.63);
  context.fill();
  context.lineCap = 'round';
  const strands = bold ? 4 : 18;
  for (let strand = 0; strand < strands; strand++) {
    const t = (strand + 0.5) / strands;
    const shine = Math.exp(-((t - 0.5) ** 2) * 12) * (side === light ? 1 : 0.4);
    context.strokeStyle = css(
      strand % 3 === 0 ? tones.hairDark : mix(tones.hair, tones.hairLight, shine),
      0.55,
    );
    context.lineWidth = bold ? 0.013 : 0.008;
    context.beginPath();
    context.moveTo(part, -0.465 - t * 0.155);
    context.bezierCurveTo(
      side * (0.2 + t * 0.12),
      -0.43 - t * 0.2,
      side * (0.31 + t * 0.1),
      -0.26 - t * 0.1,
      side * (0.372 + t * 0.03),
      0.05,
    );
    context.stroke();
  }
}

/** Draws one half of parted hair, from the parting around the temple. */
function lock(context: SKRSContext2D, figure: Figure, side: number): void {
  const { tones, hair, gaze, light, bold } = figure;
  const part = gaze * -0.1;
  const drop = hair === 'long' ? 0.62 : 0.5;
  const outer = 0.5;
  const trace = (t: number) => {
    // t = 0 along the face, 1 along the outside.
    const temple = side * (0.3 + (outer - 0.3) * t);
    context.beginPath();
    context.moveTo(part, -0.47 - t * 0.155);
    context.bezierCurveTo(
      side * (0.16 + t * 0.2),
      -0.43 - t * 0.22,
      temple * (0.98 + t * 0.06),
      -0.3 - t * 0.08,
      temple * 1.1,
      0.02,
    );
    context.bezierCurveTo(
      temple * 1.13,
      0.2,
      side * (0.37 + t * 0.14),
      drop * 0.7,
      side * (0.4 + t * 0.06),
      drop,
    );
  };
  context.fillStyle = css(side === light ? tones.hair : mix(tones.hair, tones.hairDark, bold ? 0.55 : 0.4));
  context.beginPath();
  context.moveTo(part, -0.47);
  context.bezierCurveTo(side * 0.16, -0.43, side * 0.294, -0.3, side * 0.33, 0.02);
  context.bezierCurveTo(side * 0.34, 0.2, side * 0.37, drop * 0.7, side * 0.4, drop);
  context.bezierCurveTo(side * 0.51, drop * 0.7, side * outer * 1.13, 0.2, side * outer * 1.06, 0.02);
  context.bezierCurveTo(side * outer * 1.02, -0.38, side * 0.36, -0.65, part, -0.625);
  context.fill();
  const strands = bold ? 5 : 26;
  context.lineCap = 'round';
  for (let strand = 0; strand < strands; strand++) {
    const t = (strand + 0.5) / strands;
    const shine = Math.exp(-((t - 0.55) ** 2) * 12) * (side === light ? 1 : 0.45);
    context.strokeStyle = css(
      strand % 3 === 0 ? tones.hairDark : mix(tones.hair, tones.hairLight, shine),
      bold ? 0.7 : 0.6,
    );
    context.lineWidth = bold ? 0.014 : 0.009;
    trace(t);
    context.stroke();
  }
}

function cropped(context: SKRSContext2D, figure: Figure): void {
  const { tones, gaze, random, bold } = figure;
  const tuft = random.fork('crop');
  context.fillStyle = css(tones.hair);
  context.beginPath();
  context.moveTo(-0.385, 0.03);
  context.bezierCurveTo(-0.47, -0.42, -0.3, -0.68, gaze * 0.05, -0.69);
  context.bezierCurveTo(0.34, -0.69, 0.47, -0.42, 0.385, 0.03);
  context.bezierCurveTo(0.36, -0.1, 0.36, -0.2, 0.31, -0.27);
  context.bezierCurveTo(0.16, -0.37, -0.02 + gaze * 0.1, -0.31, gaze * -0.1, -0.35);
  context.bezierCurveTo(-0.22, -0.35, -0.33, -0.27, -0.345, -0.15);
  context.closePath();
  context.fill();
  context.save();
  context.clip();
  context.lineCap = 'round';
  for (let strand = 0; strand < (bold ? 14 : 80); strand++) {
    const t = tuft.next();
    const x = -0.36 + t * 0.72;
    const y = -0.34 - Math.sin(t * Math.PI) * tuft.range(0.02, 0.3);
    context.strokeStyle = css(tuft.chance(0.45) ? tones.hairDark : tones.hairLight, 0.5);
    context.lineWidth = bold ? 0.016 : 0.01;
    context.beginPath();
    context.moveTo(x, y);
    context.quadraticCurveTo(x + gaze * 0.06, y - 0.08, x + gaze * 0.14, y - 0.06);
    context.stroke();
  }
  context.restore();
}

/** Draws long strands that drift in the air, in the style of posters of the 1890s. */
export function flowStrands(context: SKRSContext2D, figure: Figure, behind: boolean): void {
  const { tones, random, scene } = figure;
  const flow = random.fork(behind ? 'strands behind' : 'strands');
  const noise = createNoise(flow);
  const wind = -figure.gaze * (0.16 + scene.mood.weather.wind * 0.5 + Math.max(0, scene.mood.energy) * 0.3);
  const count = Math.round((behind ? 84 : 18) * (0.5 + scene.look.detail * 0.8));
  context.lineCap = 'round';
  for (let strand = 0; strand < count; strand++) {
    const side = strand % 2 ? 1 : -1;
    const t = flow.next();
    const length = flow.range(0.95, 1.5) * (behind ? 1 : 0.8);
    context.strokeStyle = css(
      mix(flow.chance(0.5) ? tones.hairDark : tones.hair, tones.hairLight, flow.next() ** 2 * 0.8),
      0.85,
    );
    context.lineWidth = flow.range(0.008, 0.024);
    let x = side * (0.32 + t * 0.2);
    let y = -0.25 + t * 0.1;
    context.beginPath();
    context.moveTo(x, y);
    for (let step = 1; step <= 14; step++) {
      const s = step / 14;
      y += (length / 14) * (1 - Math.abs(wind) * 0.25 * s);
      x +=
        (side * (s < 0.35 ? 0.1 : -0.05 + t * 0.2) +
          wind * s * 1.4 +
          noise.at(x * 1.6 + strand * 0.05, y * 1.9) * 0.5 * s) /
        14;
      context.lineTo(x, y);
    }
    context.stroke();
  }
}

function disc(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fill();
}
