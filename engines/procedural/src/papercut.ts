import type { Canvas } from '@napi-rs/canvas';
import { css, mix, shade, type Colour } from './colour.ts';
import { imagineFigure } from './figure.ts';
import { drawFigure, poseFigure } from './figures.ts';
import { layLand } from './paper-land.ts';
import { traceCloud, traceFern, traceLeaf, traceStar } from './paper-shapes.ts';
import { createStack, laySheet, textureStack, type Stack } from './paper.ts';
import type { Scene } from './scene.ts';

/** Paints layers of cut paper with soft shadows, lit from the side of the sky. */
export function paintPapercut(scene: Scene): Canvas {
  const { canvas, stack } = createStack(scene);
  laySky(stack);
  scene.show?.(0.3, canvas);
  layStars(stack);
  layLuminary(stack);
  layClouds(stack);
  const { places } = scene.mood;
  const spacey = (places.has('space') || places.has('planet')) && places.size <= 2;
  if (spacey) layPlanets(stack);
  else layLand(stack);
  scene.show?.(0.6, canvas);
  if (places.has('person')) layFigure(stack);
  layFrame(stack);
  textureStack(stack);
  return canvas;
}

/** Adds sheets with wider and wider holes around the sun, which give the depth of a light box. */
function laySky(stack: Stack): void {
  const { context, scene, noise } = stack;
  const { width, height, palette, sun } = scene;
  const [zenith, high, low, horizon] = palette.sky;
  const rings = 4 + Math.round(scene.look.detail * 3);
  const heart = mix(palette.glow, horizon, 0.3);
  context.fillStyle = css(heart);
  context.fillRect(0, 0, width, height);
  const x = sun.x * width;
  const y = Math.min(sun.y, scene.horizon) * height;
  for (let ring = 0; ring < rings; ring++) {
    const t = (ring + 1) / rings;
    const tone =
      t < 0.4
        ? mix(heart, low, t / 0.4)
        : t < 0.72
          ? mix(low, high, (t - 0.4) / 0.32)
          : mix(high, zenith, (t - 0.72) / 0.28);
    const radius = Math.max(width, height) * (0.13 + ring * (0.6 / rings));
    laySheet(
      stack,
      tone,
      9,
      (target) => {
        target.rect(-50, -50, width + 100, height + 100);
        for (let step = 0; step <= 90; step++) {
          const angle = -(step / 90) * Math.PI * 2;
          const wave = 1 + noise.at(Math.cos(angle) * 1.3 + ring * 3.1, Math.sin(angle) * 1.3) * 0.13;
          const px = x + Math.cos(angle) * radius * wave;
          const py = y + Math.sin(angle) * radius * wave * 0.86;
          if (step === 0) target.moveTo(px, py);
          else target.lineTo(px, py);
        }
        target.closePath();
      },
      'evenodd',
    );
  }
}

function layStars(stack: Stack): void {
  const { scene, random } = stack;
  if (scene.stars < 0.2) return;
  const stars = random.fork('stars');
  const tone = mix(scene.palette.disc, scene.palette.glow, 0.3);
  const count = Math.round(26 * scene.stars * (0.6 + scene.look.detail));
  laySheet(stack, tone, 4, (target) => {
    for (let star = 0; star < count; star++) {
      const size = scene.unit * stars.range(3, 11);
      traceStar(
        target,
        stars.next() * scene.width,
        stars.next() * scene.horizon * scene.height,
        size,
        stars.range(0, 6),
      );
    }
  });
}

function layLuminary(stack: Stack): void {
  const { scene } = stack;
  const { sun, palette } = scene;
  if (!sun.visible) return;
  const radius = Math.min(scene.width, scene.height) * (sun.radius + 0.055);
  const [x, y] = [sun.x * scene.width, sun.y * scene.height];
  laySheet(stack, mix(palette.disc, palette.glow, 0.35), 8, (target) => {
    if (sun.kind === 'crescent') {
      target.arc(x, y, radius, 0.5, 0.5 + Math.PI * 1.42);
      target.arc(x + radius * 0.42, y - radius * 0.18, radius * 0.82, 0.1 + Math.PI * 1.42, 0.9, true);
      target.closePath();
    } else target.arc(x, y, radius, 0, Math.PI * 2);
  });
  if (sun.kind === 'sun')
    laySheet(stack, mix(palette.glow, palette.disc, 0.75), 5, (target) =>
      target.arc(x, y, radius * 0.72, 0, Math.PI * 2),
    );
}

function layClouds(stack: Stack): void {
  const { scene, random } = stack;
  const clouds = random.fork('clouds');
  const [, high, low] = scene.palette.sky;
  const count = Math.round(scene.clouds * 8);
  for (let cloud = 0; cloud < count; cloud++) {
    const near = cloud / Math.max(1, count);
    const tone = mix(
      mix(low, high, 0.4),
      scene.palette.exposure > 0.45 ? scene.palette.snow : scene.palette.haze,
      0.25 + near * 0.5,
    );
    const wide = Math.min(scene.width, scene.height) * clouds.range(0.14, 0.24) * (0.6 + near * 0.7);
    const x = clouds.range(-0.05, 1.05) * scene.width;
    const y = clouds.range(0.1, 0.85) * scene.horizon * scene.height;
    laySheet(stack, tone, 6 + near * 5, (target) => traceCloud(target, x, y, wide, clouds.fork(`${cloud}`)));
  }
}

function layPlanets(stack: Stack): void {
  const { scene, random } = stack;
  const { palette, width, height } = scene;
  const worlds = random.fork('worlds');
  const side = Math.min(width, height);
  const [x, y, radius] = [
    scene.focus * width,
    height * worlds.range(0.48, 0.6),
    side * worlds.range(0.19, 0.26),
  ];
  const rings = worlds.chance(0.7);
  const tilt = worlds.range(-0.4, 0.4);
  const ring = (from: number, to: number, tone: Colour) => {
    laySheet(stack, tone, 9, (target) => {
      target.ellipse(x, y, radius * 1.9, radius * 0.46, tilt, from, to);
      target.ellipse(x, y, radius * 1.4, radius * 0.26, tilt, to, from, true);
      target.closePath();
    });
  };
  if (rings) ring(Math.PI, Math.PI * 2, shade(palette.glow, 0.85));
  for (let band = 0; band < 4; band++) {
    const tone = mix(palette.accent, band % 2 ? palette.counter : palette.glow, band * 0.22);
    laySheet(stack, tone, 8, (target) =>
      target.ellipse(
        x - radius * band * 0.05,
        y - radius * band * 0.07,
        radius * (1 - band * 0.2),
        radius * (1 - band * 0.2),
        0,
        0,
        Math.PI * 2,
      ),
    );
  }
  if (rings) ring(0, Math.PI, palette.glow);
  for (let moon = 0; moon < 3; moon++) {
    const moonX = (1 - scene.focus + worlds.range(-0.2, 0.2)) * width;
    const moonY = worlds.range(0.12, 0.85) * height;
    const size = side * worlds.range(0.025, 0.065);
    laySheet(stack, mix(palette.counter, palette.snow, moon * 0.3), 8, (target) =>
      target.arc(moonX, moonY, size, 0, Math.PI * 2),
    );
  }
}

function layFigure(stack: Stack): void {
  const { context, scene } = stack;
  const figure = imagineFigure({ ...scene, look: { ...scene.look, baseModel: 'bold' } });
  const { x, y, head } = poseFigure(figure);
  laySheet(stack, mix(scene.palette.glow, scene.palette.paper, 0.3), 14, (target) =>
    target.arc(x, y - head * 0.05, head * 0.95, 0, Math.PI * 2),
  );
  context.save();
  context.translate(x, y);
  context.scale(head, head);
  context.shadowColor = css(scene.palette.dark, 0.32 * (0.5 + scene.look.weight * 0.5));
  context.shadowBlur = scene.unit * 12;
  context.shadowOffsetY = scene.unit * 4;
  drawFigure(context, figure);
  context.restore();
}

/** Adds leaves that lean in from the corners, in front of everything. */
function layFrame(stack: Stack): void {
  const { scene, random } = stack;
  const { width, height, palette } = scene;
  const frame = random.fork('frame');
  if (scene.land === 'dunes' || scene.land === 'canyon' || scene.mood.places.has('space')) return;
  const winter = scene.mood.season === 'winter' || scene.mood.weather.snow > 0.3;
  const leaf: Colour = { ...palette.foliage, l: 0.22 + palette.exposure * 0.28 };
  const reach = Math.min(width, height);
  for (const side of [-1, 1]) {
    const sprays = 2 + Math.round(scene.look.detail * 2);
    for (let spray = 0; spray < sprays; spray++) {
      const tone = winter
        ? mix(palette.snow, palette.ambient, 0.2 + spray * 0.12)
        : mix(shade(leaf, 1 + spray * 0.16), palette.dark, 0.3 - spray * 0.07);
      const x = side < 0 ? -width * 0.01 : width * 1.01;
      const angle = -Math.PI / 2 - side * frame.range(0.12, 0.95);
      const long = reach * frame.range(0.2, 0.36);
      const wide = frame.chance(0.4);
      laySheet(stack, tone, 14, (target) => {
        if (wide)
          for (let blade = 0; blade < 5; blade++)
            traceLeaf(
              target,
              x,
              height * 1.02,
              angle + (blade - 2) * 0.24,
              long * (1 - Math.abs(blade - 2) * 0.13),
              long * 0.1,
            );
        else
          traceFern(
            target,
            x - side * frame.range(0, 0.1) * width,
            height * 1.03,
            angle,
            long,
            -side * frame.range(0.1, 0.5),
            7,
          );
      });
    }
  }
}
