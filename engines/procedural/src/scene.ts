import { clamp } from './colour.ts';
import type { SkyThing, TimeOfDay, TreeKind } from './lexicon.ts';
import type { Show } from './drawing-report.ts';
import type { Look } from './look.ts';
import { choosePalette, type Palette } from './palette.ts';
import type { Mood } from './prompt-mood.ts';
import { createRandom, type Random } from './random.ts';

export type Land = 'mountains' | 'hills' | 'plain' | 'dunes' | 'canyon' | 'islands' | 'sea' | 'volcano';
export type Water = 'none' | 'lake' | 'sea';

/** A composed picture before painting begins. Positions are shares of the frame, with the origin at the top left. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** Width over height. */
  readonly aspect: number;
  /** Pixels per 1/1000 of the shorter side: the unit for hand-sized details. */
  readonly unit: number;
  readonly mood: Mood;
  readonly look: Look;
  readonly palette: Palette;
  readonly random: Random;
  readonly horizon: number;
  /** The point of interest; it lies on a third. */
  readonly focus: number;
  readonly sun: Luminary;
  readonly land: Land;
  readonly water: Water;
  readonly tree: TreeKind | null;
  readonly clouds: number;
  readonly stars: number;
  readonly things: ReadonlySet<SkyThing>;
  /** Density of the air: 1 as the weather has it, 0 as on the moon. */
  readonly air: number;
  /** True if falling, flying and flashing things are left out, because they are drawn on each frame of a video. */
  readonly animated: boolean;
  /** Receives the progress. Painters call it between their steps. */
  readonly show?: Show | undefined;
}

export interface Luminary {
  readonly kind: 'sun' | 'moon' | 'crescent';
  readonly visible: boolean;
  readonly x: number;
  readonly y: number;
  /** Share of the shorter side. */
  readonly radius: number;
}

export interface Brief {
  readonly width: number;
  readonly height: number;
  readonly mood: Mood;
  readonly look: Look;
  readonly prompt: string;
  readonly random: Random;
}

/** Chooses what the words leave open: the prompt decides the kind of picture, the seed decides its layout. */
export function composeScene(brief: Brief): Scene {
  const { width, height, mood, look, random } = brief;
  // Without any word in the prompt, each seed may choose its own subject.
  const subject = brief.prompt === '' ? random.fork('subject') : createRandom(`subject\u0000${brief.prompt}`);
  const layout = random.fork('layout');
  const time = mood.time ?? defaultTime(mood, subject);
  const [land, water] = chooseLand(mood, subject);
  const focus = (layout.chance(0.5) ? 0.34 : 0.66) + layout.range(-0.05, 0.05);
  const horizon = chooseHorizon(land, water, width / height, layout);
  return {
    width,
    height,
    aspect: width / height,
    unit: Math.min(width, height) / 1000,
    mood,
    look,
    palette: choosePalette(mood, look, time, random.fork('palette')),
    random,
    horizon,
    focus,
    sun: placeSun(brief, time, land, focus, horizon),
    land,
    water,
    tree: chooseTree(mood, land, subject),
    clouds: cloudCover(mood, layout),
    stars: starlight(mood, time),
    things: mood.sky,
    air: 1,
    animated: false,
  };
}

function defaultTime(mood: Mood, subject: Random): TimeOfDay {
  if (mood.light < -0.5) return 'night';
  if (mood.weather.storm > 0) return subject.pick(['dusk', 'day']);
  if (mood.weather.snow > 0) return subject.pick(['dawn', 'day', 'dusk']);
  if (mood.warmth > 0.3) return subject.pick(['sunset', 'golden']);
  if (mood.warmth < -0.4) return subject.pick(['dusk', 'day', 'dawn']);
  return subject.pick(['dawn', 'golden', 'sunset', 'dusk', 'day']);
}

function chooseLand(mood: Mood, subject: Random): [Land, Water] {
  const { places } = mood;
  const wet: Water =
    places.has('sea') || places.has('boat')
      ? 'sea'
      : places.has('lake') || places.has('river')
        ? 'lake'
        : 'none';
  if (places.has('lighthouse')) return ['sea', 'sea'];
  if (places.has('volcano')) return ['volcano', wet === 'none' && subject.chance(0.5) ? 'lake' : wet];
  if (places.has('canyon')) return ['canyon', wet];
  if (places.has('desert')) return ['dunes', wet === 'sea' ? 'sea' : wet];
  if (places.has('island')) return ['islands', 'sea'];
  if (places.has('mountains')) return ['mountains', wet === 'none' && subject.chance(0.4) ? 'lake' : wet];
  if (places.has('beach') || wet === 'sea') return [subject.chance(0.5) ? 'islands' : 'sea', 'sea'];
  if (places.has('castle') && !places.has('meadow'))
    return [subject.chance(0.5) ? 'mountains' : 'hills', wet];
  if (places.has('meadow') || places.has('flowers')) return ['plain', wet];
  if (places.has('hills') || places.has('village')) return ['hills', wet];
  if (places.has('forest')) return [subject.chance(0.5) ? 'mountains' : 'hills', wet];
  if (places.has('city')) return ['hills', wet];
  if (wet === 'lake') return [subject.pick(['mountains', 'hills', 'mountains']), 'lake'];
  return subject.pick<[Land, Water]>([
    ['mountains', 'lake'],
    ['mountains', 'none'],
    ['hills', 'none'],
    ['islands', 'sea'],
    ['plain', 'none'],
  ]);
}

function chooseHorizon(land: Land, water: Water, aspect: number, layout: Random): number {
  const base =
    land === 'sea' || land === 'islands'
      ? 0.56
      : land === 'plain' || land === 'hills'
        ? 0.56
        : land === 'dunes'
          ? 0.5
          : 0.58;
  const shift = water === 'lake' ? -0.02 : 0;
  const tall = aspect < 0.8 ? 0.03 : 0;
  return base + shift + tall + layout.range(-0.03, 0.03);
}

function placeSun(
  { mood, random }: Brief,
  time: TimeOfDay,
  land: Land,
  focus: number,
  horizon: number,
): Luminary {
  const layout = random.fork('sun');
  const high = land === 'mountains' || land === 'volcano' || land === 'canyon';
  const side = high || layout.chance(0.6) ? 1 - focus : focus;
  const x = clamp(side + layout.range(-0.07, 0.07), 0.12, 0.88);
  const crescent = mood.sky.has('crescent');
  const moonlit = time === 'night' || mood.sky.has('moon') || crescent;
  const covered = Math.max(mood.weather.storm, mood.weather.rain, mood.weather.fog * 0.6);
  const asked = mood.sky.has('sun') || mood.sky.has('moon') || crescent;
  if (moonlit) {
    const shown = asked || (!mood.sky.has('aurora') && !mood.sky.has('galaxy') && covered < 0.5);
    const kind = crescent || (!asked && layout.chance(0.3)) ? 'crescent' : 'moon';
    return {
      kind,
      visible: shown,
      x,
      y: horizon * layout.range(0.28, 0.5),
      radius: layout.range(0.035, 0.055),
    };
  }
  const low = time === 'sunset' || time === 'dawn';
  const y = low
    ? horizon - layout.range(0.07, 0.17) - (high ? 0.12 : 0)
    : time === 'dusk'
      ? horizon + 0.02
      : horizon * layout.range(0.2, 0.42);
  const visible =
    time !== 'dusk' && (asked || (covered < 0.5 && (low || time === 'golden' || layout.chance(0.3))));
  return { kind: 'sun', visible, x, y, radius: low ? layout.range(0.03, 0.042) : layout.range(0.02, 0.028) };
}

function chooseTree(mood: Mood, land: Land, subject: Random): TreeKind | null {
  if (mood.tree) return mood.tree;
  if (mood.places.has('beach') && mood.warmth > -0.2) return 'palm';
  if (land === 'dunes' || land === 'canyon') return mood.places.has('forest') ? 'cactus' : null;
  if (land === 'sea') return null;
  if (mood.season === 'autumn') return subject.pick(['broadleaf', 'broadleaf', 'conifer']);
  if (mood.season === 'winter') return subject.pick(['conifer', 'conifer', 'bare']);
  if (land === 'mountains' || land === 'islands' || land === 'volcano') return 'conifer';
  return subject.pick(['broadleaf', 'conifer', 'broadleaf']);
}

function cloudCover(mood: Mood, layout: Random): number {
  const { clouds, clear, storm, rain, fog } = mood.weather;
  const asked = Math.max(clouds * 0.75, storm * 0.95, rain * 0.85, fog * 0.4);
  if (asked > 0) return clamp(asked + layout.range(-0.06, 0.06));
  return clear > 0 ? clamp(0.18 - clear * 0.18) : layout.range(0.3, 0.66);
}

function starlight(mood: Mood, time: TimeOfDay): number {
  const dark = time === 'night' ? 0.75 : time === 'dusk' ? 0.25 : 0;
  const asked = mood.sky.has('stars') || mood.sky.has('galaxy') ? 0.35 : 0;
  return clamp(dark + asked) * (1 - Math.max(mood.weather.storm, mood.weather.rain) * 0.9);
}
