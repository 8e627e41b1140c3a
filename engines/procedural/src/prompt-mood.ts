import type { Colour } from './colour.ts';
import { clamp } from './colour.ts';
import {
  lexicon,
  type Effect,
  type Place,
  type Season,
  type SkyThing,
  type TimeOfDay,
  type Trait,
  type TreeKind,
  type Weather,
} from './lexicon.ts';

/** What the words of a prompt ask for. Fields that the words leave open are null, empty or 0. */
export interface Mood {
  readonly time: TimeOfDay | null;
  readonly season: Season | null;
  readonly weather: Readonly<Record<Weather, number>>;
  readonly places: ReadonlySet<Place>;
  readonly sky: ReadonlySet<SkyThing>;
  readonly tree: TreeKind | null;
  readonly traits: ReadonlySet<Trait>;
  /** Colours for the picture as a whole, in the order of the words, at most four. */
  readonly colours: readonly Colour[];
  /** Colour of one thing only: the green of "green hills" is not a colour for the sky. */
  readonly ofLand: Colour | null;
  readonly ofWater: Colour | null;
  readonly ofFlowers: Colour | null;
  readonly warmth: number;
  readonly light: number;
  readonly chroma: number;
  readonly energy: number;
  /** True if painters know each word of the prompt, apart from little words such as articles. */
  readonly understood: boolean;
}

const MAX_COLOURS = 4;
const NEGATIONS = new Set(['no', 'not', 'without']);

/** Reads the prompt, then the hints (styles, suggestions). The words of both count the same. */
export function readMood(prompt: string, hints: readonly string[] = []): Mood {
  const effects = [prompt, ...hints].flatMap(effectsOf);
  const tinted = (thing: Tinted | null) =>
    effects.flatMap(({ colour, tints }) => (colour && tints === thing ? [colour] : []));
  const last = <T>(pick: (effect: Effect) => T | undefined): T | null =>
    effects.map(pick).findLast((value) => value !== undefined) ?? null;
  const all = <T>(pick: (effect: Effect) => readonly T[]): Set<T> => new Set(effects.flatMap(pick));
  const sum = (pick: (effect: Effect) => number | undefined): number =>
    clamp(
      effects.reduce((total, effect) => total + (pick(effect) ?? 0), 0),
      -1,
      1,
    );
  const weather = (kind: Weather) => clamp(sum((effect) => effect.weather?.[kind]));
  return {
    time: strongestTime(effects),
    season: last(({ season }) => season),
    weather: {
      clouds: weather('clouds'),
      rain: weather('rain'),
      snow: weather('snow'),
      fog: weather('fog'),
      storm: weather('storm'),
      wind: weather('wind'),
      clear: weather('clear'),
    },
    places: all(({ places }) => places ?? []),
    sky: all(({ sky }) => (sky ? [sky] : [])),
    tree: last(({ tree }) => tree),
    traits: all(({ traits }) => traits ?? []),
    colours: [...new Set(tinted(null))].slice(0, MAX_COLOURS),
    ofLand: tinted('land')[0] ?? null,
    ofWater: tinted('water')[0] ?? null,
    ofFlowers: tinted('flowers')[0] ?? null,
    warmth: sum(({ warmth }) => warmth),
    light: sum(({ light }) => light),
    chroma: sum(({ chroma }) => chroma),
    energy: sum(({ energy }) => energy),
    understood: unknownWords(prompt).length === 0,
  };
}

/** Returns the normalised words of a text: lower case, without accents and punctuation. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

const LITTLE_WORDS = new Set(
  'a an the and or of in on at by to with without no not from over under above below near into through behind some'.split(
    ' ',
  ),
);

/** Returns the words of a prompt that no painter knows, in their order. */
function unknownWords(prompt: string): string[] {
  return wordsOf(prompt).filter((word) => !LITTLE_WORDS.has(word) && effectOf(word) === undefined);
}

const effectOf = (word: string): Effect | undefined =>
  lexicon.get(word) ?? lexicon.get(word.replace(/s$/, ''));

type Tinted = 'land' | 'water' | 'flowers';

interface Placed extends Effect {
  /** The thing that has the colour; null for the whole picture. */
  readonly tints: Tinted | null;
}

function effectsOf(text: string): Placed[] {
  const words = wordsOf(text);
  const effects = words.map((word, index) => {
    if (NEGATIONS.has(words[index - 1] ?? '')) return undefined;
    return effectOf(word);
  });
  return effects.flatMap((effect, index) =>
    effect ? [{ ...effect, tints: effect.colour ? tintedBy(effects.slice(index, index + 3)) : null }] : [],
  );
}

const TINTED: Partial<Record<Place, Tinted>> = {
  hills: 'land',
  meadow: 'land',
  forest: 'land',
  desert: 'land',
  canyon: 'land',
  sea: 'water',
  lake: 'water',
  river: 'water',
  flowers: 'flowers',
};

/**
 * Returns the thing that a colour word refers to: it follows directly or after one more word, and can have its own
 * colour.
 */
function tintedBy(following: readonly (Effect | undefined)[]): Tinted | null {
  for (const effect of following) {
    if (effect?.time !== undefined || effect?.sky !== undefined) return null;
    const place = effect?.places?.find((candidate) => TINTED[candidate] !== undefined);
    if (place) return TINTED[place] ?? null;
  }
  return null;
}

/**
 * Returns the time of day. A word that names only a time counts before a word that implies it: "sunset under the first
 * stars" is a sunset.
 */
function strongestTime(effects: readonly Effect[]): TimeOfDay | null {
  const timed = effects.filter((effect) => effect.time !== undefined);
  const named = timed.find(({ sky, places }) => sky === undefined && places === undefined);
  return (named ?? timed[0])?.time ?? null;
}
