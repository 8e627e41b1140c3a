import type { StudioStyle } from '@renderkit/contract/studio/schemas/catalog.ts';

/** A style and the words that it adds for the engine. */
export type PlatformStyle = StudioStyle & { words: string };

const ofType =
  (type: PlatformStyle['type']) =>
  (id: string, name: string, words: string): PlatformStyle => ({ id, name, type, custom: false, words });
const image = ofType('image');
const video = ofType('video');

export const platformStyles: PlatformStyle[] = [
  image('sty_watercolour', 'Watercolour', 'soft pastel mist'),
  image('sty_golden_hour', 'Golden hour', 'golden sunset warm'),
  image('sty_noir', 'Noir', 'night black rain'),
  image('sty_spring_meadow', 'Spring meadow', 'spring green meadow'),
  image('sty_arctic', 'Arctic', 'snow ice blue cold'),
  image('sty_neon', 'Neon', 'neon vivid night city'),
  image('sty_desert', 'Desert', 'desert sand orange'),
  image('sty_dream', 'Dreamlike', 'dream violet fog'),
  video('sty_slow_pan', 'Slow pan', 'calm'),
  video('sty_storm_cut', 'Storm cut', 'storm wind'),
  video('sty_evening_film', 'Evening film', 'golden sunset warm'),
  video('sty_winter_film', 'Winter film', 'snow ice blue cold'),
  video('sty_night_film', 'Night film', 'night moon'),
];
