/** What an account may have and do: published as a list of any keys, the first being that of new accounts. */
export type Plan = {
  key: string;
  name: string;
  /** Credits of a month, in 1/1000. */
  monthly_millicredits: number;
  /** Renders at once. */
  limits: { image: number; edit: number; video: number; overall: number };
  capabilities: {
    audio_upload: boolean;
    video_upload: boolean;
    uploads: boolean;
    custom_models: boolean;
    character_creation_modes: string[];
  };
  /** Its accounts' share of the engines, against that of others; 1 is usual. */
  weight: number;
  /** What the account may store. */
  storage_bytes: number;
  /** What a render gives back that is stopped after an engine has begun with it. */
  stop_refund: (typeof stopRefunds)[number];
};

export const stopRefunds = ['none', 'full'] as const;
