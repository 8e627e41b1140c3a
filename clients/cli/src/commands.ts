import type { Entry } from './command.ts';

/** All commands. */
export const commands: Record<string, Entry> = {
  image: { about: 'Make pictures from text', load: async () => (await import('./commands/create.ts')).image },
  edit: { about: 'Change a picture', load: async () => (await import('./commands/create.ts')).edit },
  video: { about: 'Make a video', load: async () => (await import('./commands/create.ts')).video },
  extend: {
    about: 'Make what comes after a video',
    load: async () => (await import('./commands/create.ts')).extend,
  },
  'estimate image': {
    about: 'Tell what pictures cost',
    load: async () => (await import('./commands/create.ts')).estimateImage,
  },
  'estimate edit': {
    about: 'Tell what changing a picture costs',
    load: async () => (await import('./commands/create.ts')).estimateEdit,
  },
  'estimate video': {
    about: 'Tell what a video costs',
    load: async () => (await import('./commands/create.ts')).estimateVideo,
  },
  'estimate extend': {
    about: 'Tell what going on with a video costs',
    load: async () => (await import('./commands/create.ts')).estimateExtend,
  },
  frame: {
    about: 'Take a picture out of a video',
    load: async () => (await import('./commands/frame.ts')).frame,
  },
  'batch run': {
    about: 'Make what a CSV or JSONL file lists; run again, it goes on',
    load: async () => (await import('./commands/batch.ts')).run,
  },
  'batch status': {
    about: 'Show how far a batch is',
    load: async () => (await import('./commands/batch.ts')).status,
  },
  'batch retry-failed': {
    about: 'Make the rows that have failed again',
    load: async () => (await import('./commands/batch.ts')).retryFailed,
  },
  'gen list': {
    about: 'List generations',
    load: async () => (await import('./commands/generations.ts')).list,
  },
  'gen get': {
    about: 'Show generations',
    load: async () => (await import('./commands/generations.ts')).get,
  },
  'gen wait': {
    about: 'Wait until they are done',
    load: async () => (await import('./commands/generations.ts')).wait,
  },
  'gen watch': {
    about: 'Follow one, event by event',
    load: async () => (await import('./commands/generations.ts')).watch,
  },
  'gen cancel': {
    about: 'Take what still waits out of the queue',
    load: async () => (await import('./commands/generations.ts')).cancel,
  },
  'gen stop': { about: 'End what runs', load: async () => (await import('./commands/generations.ts')).stop },
  'gen download': {
    about: 'Save the outputs',
    load: async () => (await import('./commands/generations.ts')).download,
  },
  'gen open': {
    about: 'Open the outputs',
    load: async () => (await import('./commands/generations.ts')).open,
  },
  'gen rerun': {
    about: 'Make them again',
    load: async () => (await import('./commands/generations.ts')).rerun,
  },
  'models list': {
    about: 'List what renders',
    load: async () => (await import('./commands/catalog.ts')).listModels,
  },
  'models show': {
    about: 'Show what a model takes',
    load: async () => (await import('./commands/catalog.ts')).showModel,
  },
  'models schema': {
    about: 'Write what a model takes as JSON Schema',
    load: async () => (await import('./commands/catalog.ts')).schema,
  },
  'models types': {
    about: 'Write your models and their options as TypeScript',
    load: async () => (await import('./commands/catalog.ts')).types,
  },
  styles: { about: 'List styles', load: async () => (await import('./commands/catalog.ts')).styles },
  suggestions: {
    about: 'List suggestions',
    load: async () => (await import('./commands/catalog.ts')).suggestions,
  },
  upload: { about: 'Send files', load: async () => (await import('./commands/uploads.ts')).upload },
  'uploads show': { about: 'Show uploads', load: async () => (await import('./commands/uploads.ts')).show },
  'uploads delete': {
    about: 'Delete uploads',
    load: async () => (await import('./commands/uploads.ts')).remove,
  },
  'assets list': {
    about: 'List the library',
    load: async () => (await import('./commands/library.ts')).list,
  },
  'assets download': {
    about: 'Save items',
    load: async () => (await import('./commands/library.ts')).download,
  },
  'assets favorite': {
    about: 'Mark items',
    load: async () => (await import('./commands/library.ts')).favorite,
  },
  'assets unfavorite': {
    about: 'Unmark items',
    load: async () => (await import('./commands/library.ts')).unfavorite,
  },
  'assets delete': {
    about: 'Delete items',
    load: async () => (await import('./commands/library.ts')).remove,
  },
  'projects list': {
    about: 'List projects',
    load: async () => (await import('./commands/projects.ts')).list,
  },
  'projects create': {
    about: 'Make a project',
    load: async () => (await import('./commands/projects.ts')).create,
  },
  'projects rename': {
    about: 'Rename a project',
    load: async () => (await import('./commands/projects.ts')).rename,
  },
  'projects delete': {
    about: 'Delete projects',
    load: async () => (await import('./commands/projects.ts')).remove,
  },
  balance: { about: 'Show the credits', load: async () => (await import('./commands/account.ts')).balance },
  limits: {
    about: 'Show what may run at once, and runs',
    load: async () => (await import('./commands/account.ts')).limits,
  },
  storage: {
    about: 'Show what is stored',
    load: async () => (await import('./commands/account.ts')).storage,
  },
  usage: { about: 'Add up what was spent', load: async () => (await import('./commands/account.ts')).usage },
  listen: {
    about: 'Hand events on to a program of yours, signed as webhooks are',
    load: async () => (await import('./commands/listen.ts')).listen,
  },
  trigger: {
    about: 'Hand a made-up event to a program of yours, signed',
    load: async () => (await import('./commands/trigger.ts')).trigger,
  },
  'events tail': {
    about: 'Show what happens on the account',
    load: async () => (await import('./commands/listen.ts')).tail,
  },
  'webhooks verify': {
    about: 'Check the signature of a delivery on stdin',
    load: async () => (await import('./commands/verify.ts')).verifyDelivery,
  },
  'serve-mock': {
    about: 'Serve a Renderkit in memory, for tests',
    load: async () => (await import('./commands/serve-mock.ts')).serveMock,
  },
  'mcp serve': {
    about: 'Serve tools for agents over stdin and stdout',
    load: async () => (await import('./commands/mcp.ts')).serve,
  },
  'mcp install': {
    about: 'Put these tools into a program for agents',
    load: async () => (await import('./commands/mcp.ts')).install,
  },
  connect: {
    about: "Show another program's settings, and test them",
    load: async () => (await import('./commands/connect.ts')).connect,
  },
  login: {
    about: 'Keep an address and a key',
    load: async () => (await import('./commands/login.ts')).login,
  },
  logout: { about: 'Forget them', load: async () => (await import('./commands/login.ts')).logout },
  whoami: {
    about: 'Show the account and the key',
    load: async () => (await import('./commands/account.ts')).whoami,
  },
  'profile list': {
    about: 'List what was kept',
    load: async () => (await import('./commands/login.ts')).listProfiles,
  },
  'profile use': {
    about: 'Use another by default',
    load: async () => (await import('./commands/login.ts')).useProfile,
  },
  'profile remove': {
    about: 'Forget one',
    load: async () => (await import('./commands/login.ts')).removeProfile,
  },
  doctor: {
    about: 'Look for what is wrong',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  open: { about: 'Open a page of the console', load: async () => (await import('./commands/open.ts')).open },
  api: { about: 'Any request of the API', load: async () => (await import('./commands/api.ts')).api },
  completion: {
    about: 'Write a completion for bash, zsh, fish or PowerShell',
    load: async () => (await import('./commands/completion.ts')).completionOf(commands),
  },
  skill: {
    about: 'Write what an agent has to know of this program',
    load: async () => (await import('./commands/skill.ts')).skillOf(commands),
  },
  'skill install': {
    about: 'Put that where the agents of this machine look',
    load: async () => (await import('./commands/skill.ts')).skillInstallOf(commands),
  },
};

/** Other names for some commands. Help does not list them. */
const aliases: Record<string, string> = { mcp: 'mcp serve', events: 'events tail', 'gen show': 'gen get' };

/** Returns the command at the beginning of these words, and the words after it. */
export function findCommand(
  words: readonly string[],
): (Entry & { name: string; rest: readonly string[] }) | undefined {
  for (const count of [2, 1]) {
    const given = words.slice(0, count).join(' ');
    const name = Object.hasOwn(aliases, given) ? (aliases[given] ?? given) : given;
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (entry !== undefined && words.length >= count) return { ...entry, name, rest: words.slice(count) };
  }
  return undefined;
}
