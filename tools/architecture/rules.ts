/** Who may import whom, and the other promises about the tree. All of it is data; `check-sources.ts` applies it. */

/** Workspaces by their folder: the package's name, and the prefixes of workspace modules that its code may import. */
export const workspaces: Record<
  string,
  { name: string; mayImport: readonly string[]; testsMayImport?: readonly string[] }
> = {
  contract: { name: 'contract', mayImport: [] },
  'server-kit': { name: 'server-kit', mayImport: [] },
  egress: { name: 'egress', mayImport: ['server-kit/'] },
  'media-kit': { name: 'media-kit', mayImport: ['server-kit/'] },
  'blob-storage': { name: 'blob-storage', mayImport: ['media-kit/', 'server-kit/'] },
  'engines/kit': { name: 'engine-kit', mayImport: ['media-kit/', 'egress/', 'server-kit/'] },
  'engines/registry': { name: 'engine-registry', mayImport: ['engine-'] },
  manifests: { name: 'manifests', mayImport: ['contract/studio/', 'engine-kit/', 'server-kit/'] },
  identity: { name: 'identity', mayImport: ['contract/studio/', 'server-kit/'] },
  service: { name: 'service', mayImport: ['contract/', 'server-kit/', 'egress/', 'mcp/'] },
  studio: {
    name: 'studio',
    mayImport: [
      'contract/studio/',
      'server-kit/',
      'media-kit/',
      'blob-storage/',
      'identity/',
      'manifests/',
      'engine-kit/',
      'engine-registry/',
      // Workflows are read where a model is proposed.
      'engine-comfyui/',
    ],
    testsMayImport: ['engine-'],
  },
  console: { name: 'console', mayImport: ['contract/'] },
  'clients/sdk': { name: 'sdk', mayImport: [] },
  'clients/cli': { name: 'cli', mayImport: ['mcp/'] },
  'clients/mcp': { name: 'mcp', mayImport: [] },
  stack: { name: 'stack', mayImport: [''] },
  bench: { name: 'bench', mayImport: [''] },
  e2e: { name: 'e2e', mayImport: [''] },
  tools: { name: 'tools', mayImport: [''] },
};

/** Every other folder of `engines/` is an engine. Engines know nothing of each other, of the studio or of a contract. */
export const engineRules = {
  mayImport: ['engine-kit/', 'media-kit/', 'egress/', 'server-kit/'],
  testsMayImport: ['engine-'],
};

/** The one library that the contract may stand on; clients import the contract, and should carry little. */
export const contractLibraries = ['typebox'];

/** Files of a module that are its own affair. A store that would be too long has a second one, `erase-store.ts`. */
export const privateStore = /^(?:[a-z-]+-)?store\.ts$/;
/** What a module adds to the server: the wiring alone takes it. */
export const privateRoutes = /^routes\.ts$/;

/**
 * Folders that are divided into modules. `modules` stand in order, from the bottom up: a module builds on those before it,
 * never on those after it. Every file beside the modules is one of two. `wiring` puts them together, outermost first, from the
 * entries on: each may import those after it, and no module imports any of them. `base` imports neither wiring nor a module,
 * and all may import it.
 */
export const orderedModules: Record<
  string,
  { wiring: readonly string[]; base: readonly string[]; modules: readonly string[] }
> = {
  'service/src': {
    wiring: ['main.ts', 'migrate.ts', 'operator.ts', 'app.ts', 'console.ts', 'config.ts'],
    base: ['iso-time.ts', 'own-address.ts', 'test-hooks.ts'],
    modules: [
      'preflight',
      'problems',
      'idempotency',
      'validation',
      'studio-client',
      'identity',
      'http',
      'credits',
      'account',
      'catalog',
      'projects',
      'library',
      'frames',
      'webhooks',
      'uploads',
      'references',
      'quotes',
      'estimate',
      'budgets',
      'generations',
      'facades',
      'mcp',
      'downloads',
      'operator',
      'retention',
      'console-api',
      'health',
      'docs',
    ],
  },
  'console/src': {
    wiring: ['main.tsx'],
    base: [],
    modules: [
      'format',
      'api',
      'session',
      'ui',
      'media',
      'generations',
      'deliveries',
      'model-form',
      'pages',
      'app',
    ],
  },
  'studio/src': {
    wiring: [
      'main.ts',
      'worker.ts',
      'migrate.ts',
      'operator.ts',
      'app.ts',
      'start-worker.ts',
      'clean.ts',
      'routes.ts',
      'config.ts',
    ],
    base: ['channels.ts', 'errors.ts', 'sql-directory.ts'],
    modules: [
      'settings',
      'audit',
      'jobs',
      'authentication',
      'http',
      'storage',
      'catalog',
      'backends',
      'credits',
      'accounts',
      'identity',
      'moderation',
      'changes',
      'workers',
      'health',
      'uploads',
      'projects',
      'library',
      'progress',
      'renders',
      'administration',
    ],
  },
  'identity/src': {
    wiring: ['register-identity.ts'],
    base: ['identity-store.ts'],
    modules: ['passwords', 'pages', 'provider', 'sign-in', 'account-pages'],
  },
  'server-kit/src': {
    wiring: [],
    base: ['ids.ts', 'nearest-names.ts', 'secrets.ts'],
    modules: ['process', 'files', 'db', 'work', 'http', 'metrics', 'schema', 'testing'],
  },
  contract: { wiring: [], base: [], modules: ['studio', 'v1', 'console'] },
};

/**
 * What the stack, the whole-stack tests and the tools may import of a server. Benchmarks may reach further: some of
 * them time a single statement or an engine alone.
 */
export const publicEntries: Record<string, readonly string[]> = {
  service: [
    'main.ts',
    'migrate.ts',
    'config.ts',
    'operator.ts',
    'facades/field-tables.ts',
    'preflight/check-secret-key.ts',
    'problems/api-problem.ts',
    'validation/compile-check.ts',
    'webhooks/retry-schedule.ts',
  ],
  'blob-storage': [
    'blob-storage.ts',
    'claim-disk.ts',
    'close-old-media.ts',
    'copy-media.ts',
    'disk-blob-storage.ts',
    'list-hashes.ts',
    'open-storage.ts',
    's3/s3-client.ts',
    's3/s3-config.ts',
    'testing/s3-counterpart.ts',
    'testing/test-media.ts',
  ],
  studio: [
    'main.ts',
    'worker.ts',
    'migrate.ts',
    'config.ts',
    'operator.ts',
    'administration/add-model.ts',
    'administration/apply.ts',
    'administration/ask-classes.ts',
    'administration/ask-machines.ts',
    'administration/bind-parameters.ts',
    'administration/lists.ts',
    'administration/model-name.ts',
    'administration/models.ts',
    'administration/propose-model.ts',
    'administration/sample-model.ts',
    'backends/backend.ts',
    'backends/backend-secrets.ts',
    'backends/check-backend.ts',
    'backends/cost-queries.ts',
    'backends/driver-pool.ts',
    'backends/manage-backends.ts',
    'backends/queries.ts',
    'catalog/thumbnails.ts',
    'storage/check-media.ts',
    'storage/claim-storage.ts',
    'storage/media-location.ts',
    'storage/open-media.ts',
    'catalog/built-in.ts',
    'catalog/data-files.ts',
    'catalog/snapshot.ts',
    'moderation/put-rules.ts',
    'moderation/read-at-start.ts',
    'moderation/rules-file.ts',
  ],
};

/** Entries that pass on what is written elsewhere: whoever takes a package or a server's operator acts imports nothing else. */
export const reexportingEntries = [
  /^(?:service|studio)\/src\/operator\.ts$/,
  /^clients\/(?:sdk|mcp)\/src\/(?:renderkit|testing|webhooks|http)\.ts$/,
];

/** Lines of a source file. */
export const hardLineLimit = 500;
export const ordinaryLineLimit = 300;

/** Lines of a function or procedure in SQL. Landed migrations are as they are. */
export const sqlFunctionLineLimit = 120;

/** The last migration of each server that is older than releases: those before it say nothing of them. */
export const lastMigrationBeforeReleases: Record<string, string> = { service: '017', studio: '009' };

/** Migrations before this release are older than the rule on their locks. */
export const firstReleaseOfLockRule = 2;
/** Migrations that may read all of a table under a lock, and why. */
export const briefLocks: Record<string, string> = {
  'service/sql/migrations/024-confirm-above.sql': 'keys are some thousands',
  'studio/sql/migrations/022-administration.sql': 'acts of administrators are some thousands',
  'studio/sql/migrations/026-begun-submissions.sql': 'the release before has no submissions',
};

/** Drawers: such a name says nothing of what is inside. Files and folders alike. */
export const namesThatSayNothing = [
  'utils',
  'util',
  'helpers',
  'helper',
  'lib',
  'common',
  'misc',
  'shared',
  'types',
];

/** Files that may read the environment: shapes of paths from the root. */
export const environmentReaders = [
  /\/config\.ts$/,
  /^stack\/launch\.mjs$/,
  /^(tools|bench|e2e)\//,
  // They hand a few variables on to the programs of PostgreSQL, and decide nothing by them.
  /^stack\/src\/postgres\//,
  // It hands on what the launcher knows of compiled programs.
  /^server-kit\/src\/process\/programs\.ts$/,
];

/** Entries: they may hand the whole environment to a reader of configuration, and look into it no further. */
export const entries = /\/src\/(?:\w+\/)?(?:main|worker|migrate|build)\.ts$/;

/** Files that may hold SQL: a module's own, what it offers to other modules (`queries.ts`), and all of some workspaces. */
export const sqlFiles = [
  /[-/](?:store|queries)\.ts$/,
  /^server-kit\//,
  /^stack\//,
  /^tools\//,
  /^bench\//,
  /^e2e\//,
];

/**
 * Files of the studio that may open files themselves. Media lie in the blob storage, which need not be a disk: all others
 * ask it for a stream, or to be lent a local file.
 */
export const studioFileReaders = [
  /^studio\/src\/config\.ts$/,
  // What an operator says of backends.
  /^studio\/src\/backends\/read-backends-file\.ts$/,
  // The rules that an operator writes.
  /^studio\/src\/moderation\/(?:parse-rules|rules-file)\.ts$/,
  // What an operator publishes, and what the product brings.
  /^studio\/src\/catalog\/(?:read-files|built-in-images)\.ts$/,
  /^studio\/src\/renders\/sample-media\.ts$/,
  // What an engine has made, and what an operator adds: they go from there into the blob storage.
  /^studio\/src\/renders\/store-output\.ts$/,
  /^studio\/src\/library\/add-item\.ts$/,
];
