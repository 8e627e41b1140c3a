/**
 * Rights of a key (docs/api.md §5). A new key has all of them unless its maker omits some. `operations.ts` has the
 * scope of each operation; `service/src/http/serve-operations.ts` refuses a key without it.
 */
export const scopes = ['read', 'generate', 'uploads', 'projects', 'library'] as const;

export type Scope = (typeof scopes)[number];

/** One sentence per scope, shown to the person who creates a key. */
export const scopeDescriptions = {
  read: 'See the account, models, projects, the library and generations. A key with this scope alone never spends.',
  generate:
    'Create and cancel generations, take frames from videos, and ask for cost estimates. Spends credits.',
  uploads: 'Upload images, videos and audio, and see what became of an upload.',
  projects: 'Create, rename and delete projects.',
  library: 'Mark items of the library as favorites and delete them.',
} as const satisfies Record<Scope, string>;
