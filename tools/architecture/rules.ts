/** Rules for imports, and other rules for the tree. They are data only; `check-sources.ts` applies them. */

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
      // A proposed model is read from a workflow.
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

/**
 * Rules for the other folders of `engines/`, which are all engines. Engines import neither each other, nor the studio,
 * nor a contract.
 */
export const engineRules = {
  mayImport: ['engine-kit/', 'media-kit/', 'egress/', 'server-kit/'],
  testsMayImport: ['engine-'],
};

/** The only library that the contract may import. Clients import the contract, so it should stay small. */
export const contractLibraries = ['typebox'];

/**
 * Files that only their own module may import. If a store becomes too long, it gets a second file such as
 * `erase-store.ts`.
 */
export const privateStore = /^(?:[a-z-]+-)?store\.ts$/;
/** The routes that a module adds to the server. Only the wiring may import them. */
export const privateRoutes = /^routes\.ts$/;

/**
 * Folders that are divided into modules. `modules` are in order from the bottom up: a module may import earlier
 * modules, never later ones. Every file next to the modules is either wiring or base. `wiring` connects the modules,
 * outermost file first, beginning with the entries: each file may import later ones, and no module imports any of them.
 * `base` imports neither wiring nor modules, and every file may import it.
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
 * The files of a server that the stack, the whole-stack tests and the tools may import. Benchmarks may import more:
 * some measure a single statement or an engine alone.
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

/**
 * Entries that may re-export code from elsewhere. Users of a package, or of a server's operator functions, only import
 * its entry.
 */
export const reexportingEntries = [
  /^(?:service|studio)\/src\/operator\.ts$/,
  /^clients\/(?:sdk|mcp)\/src\/(?:renderkit|testing|webhooks|http)\.ts$/,
];

/** Lines of a source file. */
export const hardLineLimit = 500;
export const ordinaryLineLimit = 300;

/** Lines of a function or procedure in SQL. Landed migrations are not changed. */
export const sqlFunctionLineLimit = 120;

/** The last migration of each server from before the first release. Migrations up to this one do not name a release. */
export const lastMigrationBeforeReleases: Record<string, string> = { service: '017', studio: '009' };

/** The rule on locks only applies to migrations from this release on. */
export const firstReleaseOfLockRule = 2;
/** Migrations that may read a whole table under a lock, each with the reason. */
export const briefLocks: Record<string, string> = {
  'service/sql/migrations/024-confirm-above.sql': 'keys are some thousands',
  'studio/sql/migrations/022-administration.sql': 'acts of administrators are some thousands',
  'studio/sql/migrations/026-begun-submissions.sql': 'the release before has no submissions',
};

/** Names of files and folders that say nothing about their content. */
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

/** Files that may read the environment: patterns for paths from the root. */
export const environmentReaders = [
  /\/config\.ts$/,
  /^stack\/launch\.mjs$/,
  /^(tools|bench|e2e)\//,
  // They pass a few variables on to PostgreSQL's programs, and do not depend on them.
  /^stack\/src\/postgres\//,
  // It passes on the launcher's information about compiled programs.
  /^server-kit\/src\/process\/programs\.ts$/,
];

/**
 * Entries: they may pass the whole environment to a reader of configuration, but must not read variables themselves.
 */
export const entries = /\/src\/(?:\w+\/)?(?:main|worker|migrate|build)\.ts$/;

/**
 * Files that may contain SQL: a module's own files, files that it offers to other modules (`queries.ts`), and all files
 * of some workspaces.
 */
export const sqlFiles = [
  /[-/](?:store|queries)\.ts$/,
  /^server-kit\//,
  /^stack\//,
  /^tools\//,
  /^bench\//,
  /^e2e\//,
];

/**
 * Files of the studio that may open files themselves. Media are in the blob storage, which may not be a disk. All other
 * files ask the blob storage for a stream or a temporary local file.
 */
export const studioFileReaders = [
  /^studio\/src\/config\.ts$/,
  // Reads the operator's list of backends.
  /^studio\/src\/backends\/read-backends-file\.ts$/,
  // Reads the operator's rules.
  /^studio\/src\/moderation\/(?:parse-rules|rules-file)\.ts$/,
  // Reads what an operator publishes, and the images that come with the product.
  /^studio\/src\/catalog\/(?:read-files|built-in-images)\.ts$/,
  /^studio\/src\/renders\/sample-media\.ts$/,
  // Reads outputs of engines and files that an operator adds. Both are then stored in the blob storage.
  /^studio\/src\/renders\/store-output\.ts$/,
  /^studio\/src\/library\/add-item\.ts$/,
];
