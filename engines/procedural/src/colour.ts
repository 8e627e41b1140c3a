/** A colour in OKLCH: lightness 0–1, chroma 0 to about 0.37, hue in degrees. Equal steps look equal. */
export interface Colour {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

/** sRGB for a screen, each 0–1. */
export type Rgb = readonly [red: number, green: number, blue: number];

export const colour = (l: number, c: number, h: number): Colour => ({ l, c, h });

export const clamp = (value: number, low = 0, high = 1): number =>
  value < low ? low : value > high ? high : value;

export const smoothstep = (low: number, high: number, value: number): number => {
  const t = clamp((value - low) / (high - low));
  return t * t * (3 - 2 * t);
};

export const lerp = (a: number, b: number, t: number): number => a + (b - a) * t;

/** Mixes along a straight line through OKLab: opposite colours mix through grey, never through another hue. */
export function mix(a: Colour, b: Colour, t: number): Colour {
  const [aA, aB] = [a.c * cosine(a.h), a.c * sine(a.h)];
  const [bA, bB] = [b.c * cosine(b.h), b.c * sine(b.h)];
  const x = lerp(aA, bA, t);
  const y = lerp(aB, bB, t);
  return { l: lerp(a.l, b.l, t), c: Math.hypot(x, y), h: (Math.atan2(y, x) * 180) / Math.PI };
}

/** Turns the hue along the shorter way and keeps the chroma. Used to shift a palette towards a named colour. */
export function turn(a: Colour, b: Colour, t: number): Colour {
  const way = ((((b.h - a.h) % 360) + 540) % 360) - 180;
  return { l: lerp(a.l, b.l, t), c: lerp(a.c, b.c, t), h: a.h + way * t };
}

export const shade = (a: Colour, lightness: number, chroma = 1): Colour => ({
  l: clamp(a.l * lightness),
  c: a.c * chroma,
  h: a.h,
});

/** Converts to sRGB. The chroma is reduced until the colour fits the screen, so that hue and lightness stay. */
export function toRgb(value: Colour): Rgb {
  let chroma = value.c;
  let rgb = convert(value.l, chroma, value.h);
  for (let tries = 0; tries < 12 && !fits(rgb); tries++) {
    chroma *= 0.9;
    rgb = convert(value.l, chroma, value.h);
  }
  return [clamp(rgb[0]), clamp(rgb[1]), clamp(rgb[2])];
}

export function css(value: Colour, alpha = 1): string {
  const [red, green, blue] = toRgb(value);
  return `rgba(${Math.round(red * 255)},${Math.round(green * 255)},${Math.round(blue * 255)},${alpha.toFixed(4)})`;
}

export function fromRgb(red: number, green: number, blue: number): Colour {
  const r = toLinear(red);
  const g = toLinear(green);
  const b = toLinear(blue);
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short;
  const x = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const y = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return { l, c: Math.hypot(x, y), h: (Math.atan2(y, x) * 180) / Math.PI };
}

/** A gradient looked up by a position in 0–1; three floats per entry, sRGB 0–1. */
export interface Ramp {
  readonly table: Float32Array;
  readonly last: number;
}

export function ramp(stops: readonly (readonly [position: number, value: Colour])[], entries = 512): Ramp {
  const table = new Float32Array(entries * 3);
  for (let entry = 0; entry < entries; entry++) {
    table.set(toRgb(alongStops(stops, entry / (entries - 1))), entry * 3);
  }
  return { table, last: entries - 1 };
}

export function alongStops(
  stops: readonly (readonly [position: number, value: Colour])[],
  position: number,
): Colour {
  const next = stops.findIndex(([at]) => at >= position);
  const [nextAt, nextValue] = stops.at(next) ?? [1, colour(0.5, 0, 0)];
  if (next <= 0) return nextValue;
  const [at, value] = stops[next - 1] ?? [0, nextValue];
  return mix(value, nextValue, (position - at) / (nextAt - at || 1));
}

const cosine = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
const fits = (rgb: Rgb) => rgb.every((channel) => channel > -0.002 && channel < 1.002);

function convert(l: number, c: number, h: number): Rgb {
  const a = c * cosine(h);
  const b = c * sine(h);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    fromLinear(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    fromLinear(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

const fromLinear = (value: number) =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
