// The kinds of generations, and the facts that depend on the kind. This file contains no schema, so that pages can
// import it.

export const suites = ['image', 'edit', 'video', 'extend'] as const;
export type Suite = (typeof suites)[number];
/** Concurrency is counted for each lane; extensions count as videos. */
export const lanes = ['image', 'edit', 'video'] as const;
export type Lane = (typeof lanes)[number];
export const kinds = ['image', 'image_edit', 'video', 'video_extend'] as const;
export type Kind = (typeof kinds)[number];

/** The types of options that a model may define. */
export const optionTypes = ['select', 'toggle', 'slider', 'text'] as const;
/** The largest `max_length` of a text option. */
export const maxTextOptionCharacters = 2_048;

/** The numbers that a request may set if its model has a range for them. */
export const settingNames = ['cfg', 'weight', 'clip_skip', 'mask_blur'] as const;
export type SettingName = (typeof settingNames)[number];

type SettingFacts = {
  /** The name for people. */
  label: string;
  description: string;
  /** When true, requests of the HTTP API must use whole numbers. */
  whole?: true;
};

export const settingFacts: Readonly<Record<SettingName, SettingFacts>> = {
  cfg: { label: 'CFG', description: 'How closely the prompt is followed.' },
  weight: { label: 'Weight', description: "How strongly the model's own look counts." },
  clip_skip: { label: 'Clip skip', description: 'How loosely the prompt is read.', whole: true },
  mask_blur: { label: 'Softness of the edge', description: 'Softness of the edge of a mask.' },
};

/** Returns a record with an entry for every setting. */
export function eachSetting<T>(valueOf: (name: SettingName) => T): Record<SettingName, T> {
  return Object.fromEntries(settingNames.map((name) => [name, valueOf(name)])) as Record<SettingName, T>;
}

type KindFacts = {
  /** The suite of the models that make this kind. */
  suite: Suite;
  lane: Lane;
  /** The key in a model's `batch_size`. */
  batchKey: string;
  styleType: 'image' | 'video';
  /** Does not include settings that only an inpaint has. */
  settings: readonly SettingName[];
};

export const kindFacts = {
  image: {
    suite: 'image',
    lane: 'image',
    batchKey: 'Conjure',
    styleType: 'image',
    settings: ['cfg', 'weight', 'clip_skip'],
  },
  image_edit: {
    suite: 'edit',
    lane: 'edit',
    batchKey: 'Transform',
    styleType: 'image',
    settings: ['cfg', 'weight', 'clip_skip'],
  },
  video: { suite: 'video', lane: 'video', batchKey: 'Motion', styleType: 'video', settings: ['cfg'] },
  video_extend: { suite: 'extend', lane: 'video', batchKey: 'ExtendVideo', styleType: 'video', settings: [] },
} as const satisfies Record<Kind, KindFacts>;

/** Returns how many outputs a model makes for one generation of this kind. */
export function outputsOf(model: { batch_size: Readonly<Record<string, number>> }, kind: Kind): number {
  return model.batch_size[kindFacts[kind].batchKey] ?? 1;
}
