/** Weights of red, green and blue in grey light. */
const shares = [0.2126, 0.7152, 0.0722] as const;
/** Linear light of each sRGB value. */
const lights = Array.from({ length: 256 }, (_, value) => {
  const part = value / 255;
  return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
});

/**
 * Makes all pixels of a mask white, with their grey as the opacity. Engines compute the same grey. Returns `false` when
 * a pixel is not opaque: engines would read its color, which a canvas does not keep. `readMask` in
 * `media-kit/src/mask.ts` computes the grey for engines.
 */
export function whitenMask(rgba: Uint8ClampedArray): boolean {
  for (let i = 3; i < rgba.length; i += 4) if (rgba[i] !== 255) return false;
  for (let i = 0; i < rgba.length; i += 4) {
    rgba[i + 3] = greyOf(rgba[i] ?? 0, rgba[i + 1] ?? 0, rgba[i + 2] ?? 0);
    rgba.fill(255, i, i + 3);
  }
  return true;
}

function greyOf(red: number, green: number, blue: number): number {
  if (red === green && green === blue) return red;
  const [ofRed, ofGreen, ofBlue] = shares;
  const light = ofRed * (lights[red] ?? 0) + ofGreen * (lights[green] ?? 0) + ofBlue * (lights[blue] ?? 0);
  return Math.round(255 * (light <= 0.003_130_8 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));
}
