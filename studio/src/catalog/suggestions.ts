import type { StudioSuggestion } from '@renderkit/contract/studio/schemas/catalog.ts';

/** A building block of a prompt and the words that it adds. */
export type PlatformSuggestion = StudioSuggestion & { words: string };

const categories: {
  id: string;
  name: string;
  suites: StudioSuggestion['suites'];
  blocks: [string, string][];
}[] = [
  {
    id: 'light',
    name: 'Light',
    suites: ['image', 'edit', 'video', 'extend'],
    blocks: [
      ['dawn', 'dawn'],
      ['noon', 'noon bright'],
      ['sunset', 'sunset'],
      ['moonlight', 'night moon'],
    ],
  },
  {
    id: 'weather',
    name: 'Weather',
    suites: ['image', 'video', 'extend'],
    blocks: [
      ['clear', 'clear sky'],
      ['fog', 'fog'],
      ['rain', 'rain'],
      ['snow', 'snow'],
      ['storm', 'storm'],
    ],
  },
  {
    id: 'place',
    name: 'Place',
    suites: ['image', 'video'],
    blocks: [
      ['mountains', 'mountains'],
      ['sea', 'sea'],
      ['forest', 'forest'],
      ['city', 'city'],
      ['desert', 'desert'],
      ['lake', 'lake'],
    ],
  },
  {
    id: 'season',
    name: 'Season',
    suites: ['image', 'edit', 'video'],
    blocks: [
      ['spring', 'spring'],
      ['summer', 'summer'],
      ['autumn', 'autumn'],
      ['winter', 'winter'],
    ],
  },
  {
    id: 'colour',
    name: 'Colour',
    suites: ['image', 'edit', 'video'],
    blocks: [
      ['gold', 'gold'],
      ['teal', 'teal'],
      ['crimson', 'crimson'],
      ['violet', 'violet'],
    ],
  },
  {
    id: 'motion',
    name: 'Motion',
    suites: ['video', 'extend'],
    blocks: [
      ['drift', 'calm'],
      ['rush', 'wind'],
      ['storm', 'storm wind'],
    ],
  },
];

export const platformSuggestions: PlatformSuggestion[] = categories.flatMap(({ id, name, suites, blocks }) =>
  blocks.map(([block, words]) => ({
    id: `sug_${id}_${block}`,
    name: block.charAt(0).toUpperCase() + block.slice(1),
    category: name,
    category_id: id,
    suites,
    media_seconds: 0,
    words,
  })),
);
