// What a create makes, and what follows from its kind. No schema stands here, so that pages can import it.

export const suites = ['image', 'edit', 'video', 'extend'] as const;
export type Suite = (typeof suites)[number];
/** Where concurrency is counted: extensions count as videos. */
export const lanes = ['image', 'edit', 'video'] as const;
export type Lane = (typeof lanes)[number];
export const kinds = ['image', 'image_edit', 'video', 'video_extend'] as const;
export type Kind = (typeof kinds)[number];

/** What an option of a model's own may be. */
export const optionTypes = ['select', 'toggle', 'slider', 'text'] as const;
/** Longest `max_length` of a text option. */
export const maxTextOptionCharacters = 2_048;

/** The numbers that a request may set where its model has a range for them. */
export const settingNames = ['cfg', 'weight', 'clip_skip', 'mask_blur'] as const;
export type SettingName = (typeof settingNames)[number];

type SettingFacts = {
  /** What people call it. */
  label: string;
  description: string;
  /** Requests of the HTTP API hold whole numbers. */
  whole?: true;
};

export const settingFacts: Readonly<Record<SettingName, SettingFacts>> = {
  cfg: { label: 'CFG', description: 'How closely the prompt is followed.' },
  weight: { label: 'Weight', description: "How strongly the model's own look counts." },
  clip_skip: { label: 'Clip skip', description: 'How loosely the prompt is read.', whole: true },
  mask_blur: { label: 'Softness of the edge', description: 'Softness of the edge of a mask.' },
};

/** A record that has an entry for every setting. */
export function eachSetting<T>(valueOf: (name: SettingName) => T): Record<SettingName, T> {
  return Object.fromEntries(settingNames.map((name) => [name, valueOf(name)])) as Record<SettingName, T>;
}

type KindFacts = {
  /** Which models make it. */
  suite: Suite;
  lane: Lane;
  /** Key of a model's `batch_size`. */
  batchKey: string;
  styleType: 'image' | 'video';
  /** Those of an inpaint alone are not among them. */
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

/** How many outputs one generation of the kind makes by a model. */
export function outputsOf(model: { batch_size: Readonly<Record<string, number>> }, kind: Kind): number {
  return model.batch_size[kindFacts[kind].batchKey] ?? 1;
}
