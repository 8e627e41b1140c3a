/**
 * How reliable a finding is. Guesses are proposed, but not used until an operator agrees. `confirmed` in
 * `manifests/src/parameters.ts` shows the agreement.
 */
export type Sure = 'sure' | 'likely' | 'guess';

type RoleFacts = {
  /** Roles for media only fit inputs that hold a file, roles for text only fit texts. Other roles fit neither. */
  readonly holds?: 'text' | 'media';
  /** The name of a node in a manifest, if this is the node's first role. */
  readonly nodeName?: string;
  /** Offered even without a mark. Once an author has marked inputs, only the marks decide what is offered. */
  readonly offeredByDefault?: true;
  /**
   * An input with this name has this role in any node. `strength` only counts if the graph begins with a given image.
   */
  readonly input?: { readonly name: string; readonly sure: Sure };
};

/**
 * What an input of the graph can be used for. Most roles are sources of a manifest under the same name. `negative`,
 * `steps`, `scheduler` and `fps` keep the saved values. `detect-parameters.ts` finds the roles of a graph;
 * `propose-manifest.ts` turns them into bindings.
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

/** Roles that an input has because of its name, in every graph. */
export const rolesByInput = (Object.keys(facts) as Role[]).filter(
  (role) => roles[role].input !== undefined && role !== 'strength',
);
