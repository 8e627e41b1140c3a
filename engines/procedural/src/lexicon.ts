import { colour, type Colour } from './colour.ts';

export type TimeOfDay = 'dawn' | 'day' | 'golden' | 'sunset' | 'dusk' | 'night';
export type Season = 'spring' | 'summer' | 'autumn' | 'winter';
export type Weather = 'clouds' | 'rain' | 'snow' | 'fog' | 'storm' | 'wind' | 'clear';
export type Place =
  | 'mountains'
  | 'hills'
  | 'forest'
  | 'sea'
  | 'lake'
  | 'river'
  | 'beach'
  | 'island'
  | 'desert'
  | 'canyon'
  | 'city'
  | 'village'
  | 'meadow'
  | 'flowers'
  | 'space'
  | 'planet'
  | 'abstract'
  | 'person'
  | 'boat'
  | 'birds'
  | 'castle'
  | 'lighthouse'
  | 'volcano'
  | 'glass';
export type SkyThing = 'sun' | 'moon' | 'crescent' | 'stars' | 'aurora' | 'galaxy' | 'rainbow' | 'lightning';
export type TreeKind = 'conifer' | 'broadleaf' | 'palm' | 'cactus' | 'blossom' | 'bare';
export type Trait =
  | 'woman'
  | 'man'
  | 'child'
  | 'elder'
  | 'crown'
  | 'hat'
  | 'hood'
  | 'helmet'
  | 'robot'
  | 'beard'
  | 'glasses'
  | 'long-hair'
  | 'short-hair'
  | 'curly-hair'
  | 'bun'
  | 'earrings'
  | 'wreath'
  | 'animal-ears';

/** The effect of one word of a prompt on the picture. Numbers are added over all words. */
export interface Effect {
  readonly time?: TimeOfDay;
  readonly season?: Season;
  readonly weather?: Partial<Record<Weather, number>>;
  readonly places?: readonly Place[];
  readonly sky?: SkyThing;
  readonly tree?: TreeKind;
  readonly traits?: readonly Trait[];
  readonly colour?: Colour;
  /** −1 cold to 1 warm. */
  readonly warmth?: number;
  /** −1 dark to 1 light. */
  readonly light?: number;
  /** −1 muted to 1 vivid. */
  readonly chroma?: number;
  /** −1 calm to 1 wild. */
  readonly energy?: number;
}

type Entry = readonly [words: string, effect: Effect];

const COLOURS: readonly Entry[] = [
  ['red crimson scarlet ruby vermilion blood', { colour: colour(0.58, 0.21, 26) }],
  ['orange tangerine apricot amber copper bronze rust rusty', { colour: colour(0.72, 0.17, 56) }],
  ['yellow lemon saffron mustard', { colour: colour(0.86, 0.17, 95) }],
  ['gold golden honey', { colour: colour(0.8, 0.15, 84) }],
  ['lime chartreuse', { colour: colour(0.82, 0.19, 125) }],
  ['green emerald jade moss mossy olive verdant', { colour: colour(0.62, 0.15, 148) }],
  ['mint sage', { colour: colour(0.84, 0.08, 162) }],
  ['teal turquoise aqua cyan', { colour: colour(0.7, 0.12, 195) }],
  ['blue azure cobalt sapphire cerulean', { colour: colour(0.58, 0.17, 256) }],
  ['navy indigo ultramarine', { colour: colour(0.38, 0.15, 272) }],
  ['purple violet amethyst plum', { colour: colour(0.5, 0.19, 302) }],
  ['lilac mauve', { colour: colour(0.76, 0.1, 303) }],
  ['magenta fuchsia', { colour: colour(0.62, 0.25, 338) }],
  ['pink rose rosy blush salmon coral peach peachy', { colour: colour(0.77, 0.12, 10) }],
  ['brown sepia chocolate umber terracotta', { colour: colour(0.5, 0.1, 50) }],
  ['black ebony obsidian onyx', { colour: colour(0.18, 0.02, 270), light: -0.5 }],
  ['white ivory pearl alabaster', { colour: colour(0.95, 0.015, 90), light: 0.4 }],
  ['grey gray silver slate ash charcoal steel', { colour: colour(0.6, 0.02, 250), chroma: -0.5 }],
];

const TIMES: readonly Entry[] = [
  ['dawn sunrise daybreak', { time: 'dawn' }],
  ['morning', { time: 'dawn', light: 0.2 }],
  ['day daylight noon midday', { time: 'day' }],
  ['sunny sunlit sunlight', { time: 'day', sky: 'sun', weather: { clear: 0.6 }, warmth: 0.2 }],
  ['afternoon', { time: 'golden' }],
  ['sunset sundown', { time: 'sunset' }],
  ['evening dusk twilight gloaming', { time: 'dusk' }],
  ['night midnight nocturne nighttime nocturnal', { time: 'night' }],
  ['sun sunbeam sunbeams', { sky: 'sun' }],
  ['moon moonlight moonlit moonrise lunar', { sky: 'moon', time: 'night' }],
  ['crescent', { sky: 'crescent', time: 'night' }],
  ['star stars starry starlight starlit constellation', { sky: 'stars', time: 'night' }],
  ['aurora borealis northern', { sky: 'aurora', time: 'night' }],
  ['galaxy milky nebula cosmos cosmic', { sky: 'galaxy', time: 'night', places: ['space'] }],
  ['rainbow', { sky: 'rainbow' }],
  ['spring springtime april', { season: 'spring' }],
  ['summer summertime july', { season: 'summer', warmth: 0.2 }],
  ['autumn fall autumnal october november', { season: 'autumn', warmth: 0.3 }],
  ['winter wintry december january', { season: 'winter', warmth: -0.5, weather: { snow: 0.3 } }],
];

const WEATHERS: readonly Entry[] = [
  ['cloud clouds cloudy overcast cumulus', { weather: { clouds: 0.8 } }],
  ['clear cloudless', { weather: { clear: 1 } }],
  ['rain rainy raining drizzle shower monsoon', { weather: { rain: 0.9, clouds: 0.7 }, chroma: -0.2 }],
  ['snow snowy snowing snowfall blizzard snowflakes', { weather: { snow: 1 }, season: 'winter' }],
  ['frost frosty frozen ice icy glacier arctic glacial', { season: 'winter', warmth: -0.6 }],
  ['fog foggy mist misty haze hazy smoke smoky steam', { weather: { fog: 1 }, chroma: -0.2 }],
  ['storm stormy tempest', { weather: { storm: 1, clouds: 1 }, light: -0.4, energy: 0.8 }],
  [
    'lightning thunder thunderstorm',
    { sky: 'lightning', weather: { storm: 1, clouds: 1 }, light: -0.4, energy: 0.7 },
  ],
  ['wind windy breeze gale', { weather: { wind: 0.8 }, energy: 0.4 }],
];

const PLACES: readonly Entry[] = [
  [
    'mountain mountains mountainous peak peaks alp alps alpine summit ridge himalaya matterhorn',
    { places: ['mountains'] },
  ],
  ['cliff cliffs fjord highland highlands', { places: ['mountains', 'sea'] }],
  ['volcano volcanic lava', { places: ['volcano', 'mountains'], warmth: 0.3 }],
  ['hill hills rolling valley countryside tuscany vineyard farmland pasture', { places: ['hills'] }],
  ['forest woods woodland wood grove jungle rainforest tree trees', { places: ['forest'] }],
  [
    'pine pines fir firs spruce conifer conifers taiga redwood cedar',
    { places: ['forest'], tree: 'conifer' },
  ],
  ['oak oaks maple beech elm willow', { places: ['forest'], tree: 'broadleaf' }],
  ['birch birches', { places: ['forest'], tree: 'bare' }],
  ['sakura blossom blossoms orchard', { places: ['flowers'], tree: 'blossom', season: 'spring' }],
  ['palm palms tropical tropics', { places: ['beach', 'sea'], tree: 'palm', warmth: 0.3 }],
  ['sea ocean seascape marine wave waves surf tide pacific atlantic', { places: ['sea'] }],
  ['coast coastal shore seaside bay harbour harbor', { places: ['sea', 'beach'] }],
  ['beach sand sandy', { places: ['beach', 'sea'], warmth: 0.2 }],
  ['island islands archipelago lagoon atoll', { places: ['island', 'sea'] }],
  ['lake lakes pond tarn reflection reflections water waters', { places: ['lake'] }],
  ['river stream creek brook waterfall', { places: ['river'] }],
  ['desert dune dunes sahara oasis', { places: ['desert'], warmth: 0.4 }],
  ['cactus cacti saguaro', { places: ['desert'], tree: 'cactus', warmth: 0.3 }],
  ['canyon mesa mesas badlands gorge butte', { places: ['canyon'], warmth: 0.4 }],
  [
    'city cities skyline town urban metropolis downtown skyscraper skyscrapers street tokyo manhattan',
    { places: ['city'] },
  ],
  ['cyberpunk neon', { places: ['city'], time: 'night', chroma: 0.6, energy: 0.3 }],
  ['village hamlet cottage cottages cabin house houses farm barn', { places: ['village', 'hills'] }],
  ['lavender', { places: ['flowers'], colour: colour(0.68, 0.13, 303) }],
  ['meadow field fields grass grassland prairie plain plains steppe savanna', { places: ['meadow'] }],
  ['flower flowers floral wildflowers poppies tulips garden sunflowers bloom', { places: ['flowers'] }],
  ['poppy', { places: ['flowers'], colour: colour(0.6, 0.21, 28) }],
  ['sunflower', { places: ['flowers'], colour: colour(0.84, 0.17, 88) }],
  ['space interstellar universe outer spaceship', { places: ['space'], time: 'night', sky: 'stars' }],
  [
    'planet planets saturn jupiter mars alien exoplanet moons',
    { places: ['planet', 'space'], time: 'night', sky: 'stars' },
  ],
  ['boat boats ship sail sailing sailboat yacht', { places: ['boat', 'sea'] }],
  ['bird birds gulls seagulls swallows geese flock', { places: ['birds'] }],
  ['glass stained mosaic kaleidoscope crystal crystals', { places: ['glass'] }],
  ['castle fortress tower ruin ruins palace', { places: ['castle'] }],
  ['lighthouse', { places: ['lighthouse', 'sea'] }],
  [
    'abstract geometric geometry cubist bauhaus minimal pattern shapes fractal mosaic kandinsky',
    { places: ['abstract'] },
  ],
];

const PEOPLE: readonly Entry[] = [
  ['portrait character person face human figure people hero heroine', { places: ['person'] }],
  [
    'woman girl lady mother she goddess ballerina dancer actress geisha',
    { places: ['person'], traits: ['woman'] },
  ],
  [
    'man boy gentleman father he god knight samurai warrior sailor fisherman',
    { places: ['person'], traits: ['man'] },
  ],
  ['child kid baby', { places: ['person'], traits: ['child'] }],
  ['elder grandmother grandfather', { places: ['person'], traits: ['elder'] }],
  ['old aged wise', { traits: ['elder'] }],
  ['queen princess empress', { places: ['person'], traits: ['crown', 'woman'] }],
  ['king prince emperor', { places: ['person'], traits: ['crown', 'man'] }],
  ['crown crowned', { places: ['person'], traits: ['crown'] }],
  ['wizard witch detective cowboy hat', { places: ['person'], traits: ['hat'] }],
  ['monk assassin ranger hood hooded cloak', { places: ['person'], traits: ['hood'] }],
  ['astronaut cosmonaut diver helmet pilot', { places: ['person'], traits: ['helmet'] }],
  ['robot android cyborg machine mecha', { places: ['person'], traits: ['robot'], warmth: -0.2 }],
  ['bearded beard viking dwarf', { places: ['person'], traits: ['beard'] }],
  ['glasses spectacles scientist professor', { places: ['person'], traits: ['glasses'] }],
  ['braids ponytail mermaid elf fairy', { places: ['person'], traits: ['long-hair'] }],
  ['bob bald', { places: ['person'], traits: ['short-hair'] }],
  ['curly afro curls', { places: ['person'], traits: ['curly-hair'] }],
  ['bun', { places: ['person'], traits: ['bun'] }],
  ['earrings jewellery jewelry', { places: ['person'], traits: ['earrings'] }],
  ['wreath nymph dryad', { places: ['person'], traits: ['wreath'] }],
  ['cat fox wolf rabbit', { places: ['person'], traits: ['animal-ears'] }],
];

const FEELINGS: readonly Entry[] = [
  [
    'calm quiet peaceful serene tranquil still gentle soft silent zen',
    { energy: -0.7, chroma: -0.15, light: 0.15 },
  ],
  ['wild dramatic epic turbulent fierce chaos chaotic furious', { energy: 0.8, chroma: 0.2 }],
  ['vivid vibrant colourful colorful saturated bright psychedelic', { chroma: 0.8, light: 0.2 }],
  ['pastel muted faded pale delicate dreamy dream ethereal', { chroma: -0.4, light: 0.4 }],
  ['dark gloomy moody noir shadow shadows sinister gothic', { light: -0.7, chroma: -0.2 }],
  ['warm cosy cozy hot fire fiery flame ember embers', { warmth: 0.8 }],
  ['cold cool chilly', { warmth: -0.7 }],
  ['lonely solitude melancholy sad nostalgic forgotten', { energy: -0.4, chroma: -0.3, warmth: -0.2 }],
  ['happy joyful cheerful joy', { chroma: 0.4, light: 0.3, warmth: 0.3 }],
  ['mysterious enchanted magic magical mystic', { weather: { fog: 0.4 }, chroma: 0.2 }],
  ['glowing luminous radiant shining', { light: 0.3, chroma: 0.3 }],
  ['monochrome', { chroma: -1.5 }],
];

/** From a lower-case word to its effect. */
export const lexicon: ReadonlyMap<string, Effect> = new Map(
  [...COLOURS, ...TIMES, ...WEATHERS, ...PLACES, ...PEOPLE, ...FEELINGS].flatMap(([words, effect]) =>
    words.split(' ').map((word) => [word, effect] as const),
  ),
);
