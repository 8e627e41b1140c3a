export const tiers = ['free', 'plus', 'pro'] as const;
export type Tier = (typeof tiers)[number];

export type Plan = {
  name: string;
  /** Monthly credits, in 1/1000. */
  allowanceMillicredits: number;
  /** Renders at once. */
  limits: { image: number; edit: number; video: number; overall: number };
  /** What the account may store, in bytes. */
  storage_bytes: number;
  capabilities: {
    audio_upload: boolean;
    video_upload: boolean;
    uploads: boolean;
    custom_models: boolean;
    character_creation_modes: string[];
  };
};

const gigabyte = 1024 ** 3;

export const plans: Record<Tier, Plan> = {
  free: {
    name: 'Free',
    allowanceMillicredits: 50_000,
    limits: { image: 1, edit: 1, video: 1, overall: 2 },
    storage_bytes: 2 * gigabyte,
    capabilities: {
      audio_upload: false,
      video_upload: false,
      uploads: true,
      custom_models: false,
      character_creation_modes: [],
    },
  },
  plus: {
    name: 'Plus',
    allowanceMillicredits: 1_000_000,
    limits: { image: 2, edit: 2, video: 1, overall: 4 },
    storage_bytes: 50 * gigabyte,
    capabilities: {
      audio_upload: true,
      video_upload: true,
      uploads: true,
      custom_models: true,
      character_creation_modes: ['prompt'],
    },
  },
  pro: {
    name: 'Pro',
    allowanceMillicredits: 5_000_000,
    limits: { image: 4, edit: 4, video: 2, overall: 8 },
    storage_bytes: 250 * gigabyte,
    capabilities: {
      audio_upload: true,
      video_upload: true,
      uploads: true,
      custom_models: true,
      character_creation_modes: ['prompt', 'images'],
    },
  },
};
