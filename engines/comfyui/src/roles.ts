/** How far a finding is to be relied on. Guesses are proposed, and not used until somebody agrees. */
export type Sure = 'sure' | 'likely' | 'guess';

type RoleFacts = {
  /** Roles of media fit inputs that hold a file and no others; roles of text fit texts alone; the rest fits neither. */
  readonly holds?: 'text' | 'media';
  /** What a node is called in a manifest whose first role this is. */
  readonly nodeName?: string;
  /** A workflow offers it of its own accord; once an author has marked inputs, the marks say which are offered. */
  readonly offeredByDefault?: true;
  /** An input that has this role wherever it stands; `strength` counts only where the graph begins with a given image. */
  readonly input?: { readonly name: string; readonly sure: Sure };
};

/**
 * What an input of the graph can be for. Most are sources of a manifest under the same name; `negative`, `steps`,
 * `scheduler` and `fps` stay as the author saved them.
 */
const facts = {
  prompt: { holds: 'text', nodeName: 'positive' },
  negative: { holds: 'text', nodeName: 'negative' },
  seed: {},
  width: {},
  height: {},
  outputs: {},
  cfg: { offeredByDefault: true },
  sampler: { offeredByDefault: true },
  scheduler: {},
  steps: {},
  strength: { offeredByDefault: true, input: { name: 'denoise', sure: 'sure' } },
  weight: { offeredByDefault: true },
  clip_skip: {
    nodeName: 'clip_skip',
    offeredByDefault: true,
    input: { name: 'stop_at_clip_layer', sure: 'guess' },
  },
  image: { holds: 'media', nodeName: 'source' },
  mask: { holds: 'media', nodeName: 'mask' },
  references: { holds: 'media', nodeName: 'reference' },
  start_image: { holds: 'media', nodeName: 'start' },
  end_image: { holds: 'media', nodeName: 'end' },
  source_video: { holds: 'media', nodeName: 'source_video' },
  audios: { holds: 'media', nodeName: 'audio' },
  duration_seconds: {},
  fps: {},
  option: {},
} as const satisfies Record<string, RoleFacts>;

export type Role = keyof typeof facts;
export const roles: Readonly<Record<Role, RoleFacts>> = facts;

/** Roles that an input has by its name alone, in every graph. */
export const rolesByInput = (Object.keys(facts) as Role[]).filter(
  (role) => roles[role].input !== undefined && role !== 'strength',
);
