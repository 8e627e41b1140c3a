import { mix, shade, smoothstep, type Colour } from './colour.ts';
import { traceTree } from './paper-shapes.ts';
import { cutEdge, laySheet, punch, type Stack } from './paper.ts';

type Edge = readonly { readonly x: number; readonly y: number }[];

/** Adds the land in sheets from the horizon to the viewer: ranges or houses, then water or meadows. */
export function layLand(stack: Stack): void {
  const { scene } = stack;
  const count = 5 + Math.round(scene.look.detail * 3);
  const water = scene.water !== 'none';
  const city = scene.mood.places.has('city');
  for (let layer = 0; layer < count; layer++) {
    const depth = layer / (count - 1);
    if (city && depth < 0.7) layHouses(stack, depth, layer);
    else if (water && depth > 0.32 && depth < 0.9) layWaves(stack, depth, layer);
    else layRange(stack, depth, layer);
  }
}

/**
 * Returns the tone of a sheet. Far sheets get the haze's colour, near sheets the dark colour, and sheets between them
 * the land's own colour.
 */
function toneAt({ scene }: Stack, depth: number): Colour {
  const { palette, land, mood } = scene;
  const winter = mood.season === 'winter' || mood.weather.snow > 0.3;
  const arid = land === 'dunes' || land === 'canyon';
  const own = arid ? palette.sand : winter ? mix(palette.snow, palette.ambient, 0.3) : palette.foliage;
  const middle = { ...own, l: own.l * (0.35 + palette.exposure * 0.6) };
  const far = mix(palette.haze, palette.sky[2], 0.3);
  const near = mix(palette.dark, middle, arid ? 0.35 : 0.14 + palette.exposure * 0.2);
  return depth < 0.5 ? mix(far, middle, depth * 1.6) : mix(mix(far, middle, 0.8), near, (depth - 0.5) * 2);
}

function layRange(stack: Stack, depth: number, layer: number): void {
  const { scene, noise, random } = stack;
  const { width, height } = scene;
  const edge = cutEdge(stack, rangeHeight(stack, depth, layer));
  const tone = toneAt(stack, depth);
  const wood = random.fork(`wood ${layer}`);
  laySheet(stack, tone, 8 + depth * 9, (target) => {
    target.moveTo(-width * 0.04, height * 1.05);
    for (const { x, y } of edge) target.lineTo(x, y);
    target.lineTo(width * 1.04, height * 1.05);
    target.closePath();
    const { tree } = scene;
    if (tree === null || depth < (scene.land === 'mountains' ? 0.45 : 0.35)) return;
    const trees = Math.round(
      (4 + scene.look.detail * 8) *
        scene.aspect *
        (scene.mood.places.has('forest') ? 2 : 1) *
        (tree === 'conifer' ? 1.3 : 0.7),
    );
    for (let index = 0; index < trees; index++) {
      const spot = edge[wood.int(edge.length)];
      if (!spot || noise.at((spot.x / width) * 4 + layer, 3.3) < -0.12) continue;
      const size = height * (0.05 + depth * 0.13) * wood.range(0.55, 1.25);
      traceTree(target, tree, spot.x, spot.y, size, wood);
    }
  });
  punch(stack, edge, shade(tone, 0.8));
  if (scene.land === 'mountains' && depth < 0.4) laySnow(stack, edge, tone, layer);
}

function rangeHeight(stack: Stack, depth: number, layer: number): (x: number) => number {
  const { scene, noise } = stack;
  const { horizon, focus, aspect, land } = scene;
  const base = horizon + 0.015 + depth ** 1.25 * (0.93 - horizon);
  const shift = layer * 7.7;
  const far = 1 - smoothstep(0.1, 0.7, depth);
  return (x) => {
    const u = x * aspect;
    const peak = Math.max(0, 1 - Math.abs(x - focus) / 0.42);
    switch (land) {
      case 'mountains':
      case 'volcano': {
        const crags = noise.ridged(u * 1.5 + shift, 0.5, 4) * (0.2 + peak * 0.18) * far;
        return base + 0.05 - crags - noise.fbm(u * 2.2 + shift, 4.4, 3) * 0.05;
      }
      case 'canyon': {
        const level = noise.fbm(u * 1.4 + shift, 1.5, 2) * 3 + peak * 1.5;
        const step = Math.floor(level) + smoothstep(0.3, 0.5, level - Math.floor(level));
        return base + 0.02 - step * 0.045 * (0.3 + far);
      }
      case 'dunes':
        return base - Math.abs(noise.at(u * 1.1 + shift, depth * 2)) * 0.12;
      case 'islands':
      case 'sea':
        return (
          base +
          0.02 -
          Math.max(0, noise.fbm(u * 1.6 + shift, 2.2, 3) + peak * 0.5 - 0.15) * 0.17 * (0.4 + far)
        );
      default:
        return base - noise.fbm(u * 1.3 + shift, 3.1, 3) * 0.11 - peak * 0.03 * far;
    }
  };
}

/** Adds snow caps: the same edge again, closed by a zigzag below the summits. */
function laySnow(stack: Stack, edge: Edge, tone: Colour, layer: number): void {
  const { scene, noise } = stack;
  const tops = edge.map(({ y }) => y);
  const highest = Math.min(...tops);
  const line = highest + (Math.max(...tops) - highest) * 0.38;
  laySheet(stack, mix(scene.palette.snow, tone, 0.22), 4, (target) => {
    let open = false;
    for (const [index, { x, y }] of edge.entries()) {
      if (y < line && !open) {
        target.moveTo(x, y);
        open = true;
      } else if (y < line) target.lineTo(x, y);
      if (open && (y >= line || index === edge.length - 1)) {
        for (let back = index; back >= 0; back--) {
          const point = edge[back];
          if (!point || (point.y >= line && back < index)) break;
          const tooth = back % 4 < 2 ? 1 : 0.35;
          const depth = (line - point.y) * (0.45 + noise.at(back * 0.35, layer * 2.7) * 0.3) * tooth;
          target.lineTo(point.x, point.y + Math.max(0, depth));
        }
        target.closePath();
        open = false;
      }
    }
  });
}

/** Adds water: wavy strips, lighter below the sun. */
function layWaves(stack: Stack, depth: number, layer: number): void {
  const { scene, random } = stack;
  const { width, height, palette, horizon, aspect } = scene;
  const waves = random.fork(`waves ${layer}`);
  const base = (horizon + 0.015 + depth ** 1.25 * (0.93 - horizon)) * height;
  const crest = width / Math.round((5 + (1 - depth) * 9) * aspect);
  const tall = crest * 0.16;
  const shift = waves.next() * crest;
  const deep = { ...palette.water, l: palette.water.l * (0.4 + palette.exposure * 0.75) };
  const tone = mix(mix(palette.sky[2], deep, 0.45 + depth * 0.4), palette.glow, layer % 2 ? 0.12 : 0);
  laySheet(stack, tone, 7 + depth * 7, (target) => {
    target.moveTo(-crest, height * 1.05);
    target.lineTo(-crest, base);
    for (let x = -crest + shift - crest; x < width + crest; x += crest) {
      target.quadraticCurveTo(x + crest * 0.3, base + tall, x + crest * 0.62, base - tall * 0.2);
      target.quadraticCurveTo(x + crest * 0.84, base - tall, x + crest, base);
    }
    target.lineTo(width + crest, height * 1.05);
    target.closePath();
  });
}

/** Adds houses with cut-out windows, so that the sheet behind is visible through them. */
function layHouses(stack: Stack, depth: number, layer: number): void {
  const { scene, random } = stack;
  const { width, height, palette, unit } = scene;
  const street = random.fork(`street ${layer}`);
  const base = (scene.horizon + 0.05 + depth * (0.9 - scene.horizon)) * height;
  const far = mix(palette.haze, palette.sky[2], 0.3);
  const tone = mix(far, mix(palette.dark, palette.ambient, 0.25), 0.15 + depth * 0.85);
  const panes: { x: number; y: number }[] = [];
  const pane = unit * (5.5 + depth * 3.5);
  laySheet(stack, tone, 10 + depth * 6, (target) => {
    target.moveTo(-20, height * 1.05);
    for (let x = -street.range(0, 30) * unit; x < width + 20;) {
      const wide = unit * street.range(46, 110);
      const hill = 0.45 + Math.exp(-((((x + wide / 2) / width - scene.focus) * 2.6) ** 2));
      const top = base - height * street.range(0.08, 0.2) * hill * (1.15 - depth * 0.3);
      const roof = street.int(4);
      target.lineTo(x, top);
      if (roof === 0) target.lineTo(x + wide / 2, top - wide * 0.3);
      if (roof === 1) {
        for (const [px, py] of [
          [0.25, 0],
          [0.25, 0.2],
          [0.47, 0.2],
          [0.47, 0.55],
          [0.53, 0.55],
          [0.53, 0.2],
          [0.75, 0.2],
          [0.75, 0],
        ] as const)
          target.lineTo(x + wide * px, top - wide * py);
      }
      target.lineTo(x + wide, top);
      for (let y = top + pane * 2; y < base; y += pane * 2.6) {
        for (let px = x + pane * 1.2; px < x + wide - pane * 1.6; px += pane * 2.2)
          if (street.chance(0.55)) panes.push({ x: px, y });
      }
      x += wide;
    }
    target.lineTo(width + 20, height * 1.05);
    target.closePath();
  });
  const lit =
    palette.exposure < 0.6
      ? mix({ l: 0.88, c: 0.12, h: 80 }, palette.glow, 0.12)
      : mix(far, palette.snow, 0.3);
  laySheet(stack, mix(lit, tone, 0.15), 2, (target) => {
    for (const { x, y } of panes) target.rect(x, y, pane, pane * 1.4);
  });
}
