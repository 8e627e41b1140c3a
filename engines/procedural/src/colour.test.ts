import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colour, fromRgb, mix, ramp, toRgb, turn } from './colour.ts';

test('sRGB survives the way to OKLCH and back', () => {
  for (const [red, green, blue] of [
    [1, 0, 0],
    [0.2, 0.6, 0.4],
    [0.5, 0.5, 0.5],
  ] as const) {
    const back = toRgb(fromRgb(red, green, blue));
    for (const [index, channel] of [red, green, blue].entries()) {
      assert.ok(Math.abs((back[index] ?? 0) - channel) < 0.01);
    }
  }
});

test('A colour too strong for the screen loses chroma, not hue', () => {
  const rgb = toRgb(colour(0.7, 0.4, 150));
  assert.ok(rgb.every((channel) => channel >= 0 && channel <= 1));
  assert.ok(Math.abs(fromRgb(...rgb).h - 150) < 4);
});

test('Mixing meets in the middle, turning takes the shorter way round', () => {
  assert.equal(mix(colour(0.2, 0.1, 30), colour(0.8, 0.1, 30), 0.5).l, 0.5);
  assert.equal(turn(colour(0.5, 0.1, 350), colour(0.5, 0.1, 10), 0.5).h, 360);
});

test('A ramp begins and ends with its stops', () => {
  const { table, last } = ramp([
    [0, colour(0, 0, 0)],
    [1, colour(1, 0, 0)],
  ]);
  assert.ok((table[0] ?? 1) < 0.01 && (table[last * 3] ?? 0) > 0.99);
});
