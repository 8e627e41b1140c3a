import type { Bitmap } from './encode.ts';
import type { Raster } from './raster.ts';

/** Mean and deviation of lightness and of the two colour differences. */
interface Tones {
  readonly means: readonly number[];
  readonly spreads: readonly number[];
}

/** Moves the tones of a picture towards those of another picture (after Reinhard et al.). `amount` 0–1: how far. */
export function matchTones(picture: Raster, model: Bitmap, amount: number): void {
  if (amount <= 0) return;
  const from = tonesOf(picture.data, 1);
  const to = tonesOf(model.bytes, 1 / 255);
  const gains = from.spreads.map((spread, index) =>
    Math.min(1.8, Math.max(0.5, (to.spreads[index] ?? spread) / Math.max(0.02, spread))),
  );
  const { data, width, height } = picture;
  for (let row = 0; row < height; row++)
    bendRow(data, row * width * 3, width * 3, from.means, to.means, gains, amount);
}

function bendRow(
  data: Float32Array,
  first: number,
  count: number,
  from: readonly number[],
  to: readonly number[],
  gains: readonly number[],
  amount: number,
): void {
  const [fromY = 0, fromB = 0, fromR = 0] = from;
  const [toY = 0, toB = 0, toR = 0] = to;
  const [gainY = 1, gainB = 1, gainR = 1] = gains;
  for (let index = first; index < first + count; index += 3) {
    const red = data[index] ?? 0;
    const green = data[index + 1] ?? 0;
    const blue = data[index + 2] ?? 0;
    const light = lightOf(red, green, blue);
    const y = light + ((light - fromY) * gainY + toY - light) * amount;
    const b = blue - light + ((blue - light - fromB) * gainB + toB - (blue - light)) * amount;
    const r = red - light + ((red - light - fromR) * gainR + toR - (red - light)) * amount;
    data[index] = limit(y + r);
    data[index + 1] = limit(y - (r * 0.299 + b * 0.114) / 0.587);
    data[index + 2] = limit(y + b);
  }
}

const lightOf = (red: number, green: number, blue: number) => red * 0.299 + green * 0.587 + blue * 0.114;
const limit = (value: number) => (value < 0 ? 0 : value > 1 ? 1 : value);

/** One hundredth of the pixels is enough. */
const STRIDE = 97;

function tonesOf(data: ArrayLike<number>, scale: number): Tones {
  const sums = [0, 0, 0];
  const squares = [0, 0, 0];
  const step = data.length > STRIDE * 3_000 ? STRIDE * 3 : 3;
  let count = 0;
  for (let index = 0; index + 2 < data.length; index += step, count++) {
    const red = (data[index] ?? 0) * scale;
    const blue = (data[index + 2] ?? 0) * scale;
    const light = lightOf(red, (data[index + 1] ?? 0) * scale, blue);
    for (const [channel, value] of [light, blue - light, red - light].entries()) {
      sums[channel] = (sums[channel] ?? 0) + value;
      squares[channel] = (squares[channel] ?? 0) + value * value;
    }
  }
  const means = sums.map((sum) => sum / count);
  return {
    means,
    spreads: squares.map((square, channel) =>
      Math.sqrt(Math.max(0, square / count - (means[channel] ?? 0) ** 2)),
    ),
  };
}
