import type { StudioStyle } from '@renderkit/contract/studio/schemas.ts';

/** A style and the words that it adds for the engine. */
export type PlatformStyle = StudioStyle & { words: string };

const image = (id: string, name: string, words: string): PlatformStyle => ({
  id,
  name,
  type: 'image',
  custom: false,
  words,
});

export const platformStyles: PlatformStyle[] = [
  image('sty_watercolour', 'Watercolour', 'soft pastel mist'),
  image('sty_golden_hour', 'Golden hour', 'golden sunset warm'),
  image('sty_noir', 'Noir', 'night black rain'),
  image('sty_spring_meadow', 'Spring meadow', 'spring green meadow'),
  image('sty_arctic', 'Arctic', 'snow ice blue cold'),
  image('sty_neon', 'Neon', 'neon vivid night city'),
  image('sty_desert', 'Desert', 'desert sand orange'),
  image('sty_dream', 'Dreamlike', 'dream violet fog'),
  { id: 'sty_slow_pan', name: 'Slow pan', type: 'video', custom: false, words: 'calm' },
  { id: 'sty_storm_cut', name: 'Storm cut', type: 'video', custom: false, words: 'storm wind' },
];
