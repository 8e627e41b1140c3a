import { engineNames } from '@renderkit/engine-kit/route.ts';
import type { Backend, BackendSettings } from '@renderkit/studio/backends/backend.ts';
import { openBackendSecrets } from '@renderkit/studio/backends/backend-secrets.ts';
import {
  checkBackend,
  type CheckedBackend,
  startFullCheck,
} from '@renderkit/studio/backends/check-backend.ts';
import {
  addBackend,
  drainBackend,
  removeBackend,
  resumeBackend,
  setBackend,
  showBackend,
} from '@renderkit/studio/backends/manage-backends.ts';
import { listBackends } from '@renderkit/studio/backends/queries.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import type { StackConfig } from '../config.ts';
import { StackError } from '../stack-error.ts';
import { type Answer, type Command, command } from './command.ts';
import type { OperatorDatabases } from './open-databases.ts';
import { openDrivers } from './open-drivers.ts';
import {
  amount,
  choice,
  currency,
  duration,
  flag,
  headerFromVariable,
  names,
  required,
  text,
  trueOrFalse,
  variable,
  wholeNumber,
} from './option.ts';
import { tableLines } from './table-lines.ts';

const name = required(text('NAME'));
/** The settings of a backend, for adding and changing it. */
const settingOptions = {
  url: text('U'),
  slots: wholeNumber({ min: 1, max: 1_000 }),
  labels: names,
  'secret-env': variable,
  header: headerFromVariable,
  'max-cost-per-day': amount,
  currency,
  'allow-loss': trueOrFalse,
};

export const backendCommands: Command[] = [
  command({
    words: 'backend add',
    about:
      'Adds a machine or a service that renders, and asks it how it is. The secret is read from a variable, once.',
    options: { name, engine: required(choice(engineNames)), ...settingOptions },
    run: async ({ open, config }, { name: added, engine, ...values }) => {
      const databases = await open();
      const settings = settingsOf(values, config);
      await addBackend({ name: added, engine, settings }, manage(databases));
      return checkedAnswer(await check(databases, added));
    },
  }),
  command({
    words: 'backend set',
    about:
      'Changes a backend. What is not named stays; a variable that is set but empty takes its header away.',
    options: { name, ...settingOptions },
    run: async ({ open, config }, { name: changed, ...values }) => {
      const databases = await open();
      await setBackend(changed, settingsOf(values, config), manage(databases));
      return backendAnswer(await showBackend(databases.studio, changed));
    },
  }),
  command({
    words: 'backend list',
    about:
      'Lists the backends: what each does, since when and why, its slots, and what was spent there today (UTC).',
    options: {},
    run: async ({ open }) => {
      const backends = await listBackends((await open()).studio);
      return { data: backends, lines: table(backends) };
    },
  }),
  command({
    words: 'backend check',
    about:
      'Asks a backend now how it is and which offered models it can run; with --full by jobs of its own, which cost nothing at a provider beyond --spend.',
    options: { name, full: flag, spend: amount },
    run: async ({ open }, { name: asked, full, spend }) => {
      if (full) return fullAnswer(asked, spend ?? 0, await open());
      if (spend !== undefined) throw new StackError('--spend belongs to --full.');
      const checked = await check(await open(), asked);
      return { ...checkedAnswer(checked), failed: checked.state === 'down' };
    },
  }),
  command({
    words: 'backend drain',
    about:
      'Gives a backend no more work; it is off once what runs there has ended, or is canceled after this time.',
    options: { name, within: duration },
    run: async ({ open }, { name: drained, within }) => {
      const databases = await open();
      await drainBackend(drained, within ?? null, manage(databases));
      return backendAnswer(await showBackend(databases.studio, drained));
    },
  }),
  command({
    words: 'backend resume',
    about: 'Gives a backend work again that was drained.',
    options: { name },
    run: async ({ open }, { name: resumed }) => {
      const databases = await open();
      await resumeBackend(resumed, manage(databases));
      return backendAnswer(await showBackend(databases.studio, resumed));
    },
  }),
  command({
    words: 'backend remove',
    about: 'Removes a backend on which nothing runs, and says which offered models have none any more.',
    options: { name },
    run: async ({ open }, { name: removed }) => {
      const left = await removeBackend(removed, manage(await open()));
      return {
        data: { name: removed, models_without_backend: left },
        lines: [
          `${removed} is removed.`,
          ...left.map(
            (id) => `${id} has no backend any more: add another that its routes name, or retire it.`,
          ),
        ],
      };
    },
  }),
];

function manage({ studio, environments }: OperatorDatabases) {
  const { secretKey } = readWorkerConfig(environments.worker);
  return { database: studio, secrets: openBackendSecrets(secretKey), actor: 'operator' as const };
}

async function check(databases: OperatorDatabases, asked: string): Promise<CheckedBackend> {
  await using drivers = openDrivers(databases);
  return await checkBackend(asked, {
    database: databases.studio,
    drivers,
    stopping: new AbortController().signal,
  });
}

/** Runs a full check. The command fails if one of the steps fails. */
async function fullAnswer(asked: string, spend: number, databases: OperatorDatabases): Promise<Answer> {
  await using drivers = openDrivers(databases);
  const stopping = new AbortController().signal;
  const steps = await Array.fromAsync(
    await startFullCheck(asked, { database: databases.studio, drivers, stopping }, spend),
  );
  return {
    data: steps,
    lines: steps.map(({ name: step, ok, walked, message, seconds }) => {
      const passed = ok ? 'ok' : 'failed';
      const outcome = walked ? passed : '-';
      return `${outcome.padEnd(6)}  ${step.padEnd(20)}${seconds.toFixed(1).padStart(6)} s  ${message}`;
    }),
    failed: steps.some(({ ok }) => !ok),
  };
}

type Given = {
  url: string | undefined;
  slots: number | undefined;
  labels: string[] | undefined;
  'secret-env': string | undefined;
  header: { name: string; variable: string } | undefined;
  'max-cost-per-day': number | undefined;
  currency: string | undefined;
  'allow-loss': boolean | undefined;
};

function settingsOf(given: Given, { environment }: StackConfig): BackendSettings {
  const { url, slots, labels, currency: money, header, 'secret-env': secret } = given;
  return {
    url,
    slots,
    labels,
    secret: secret === undefined ? undefined : readSecret(environment[secret], secret),
    headers: header && { [header.name]: readHeader(environment, header.variable) },
    maxCostPerDay: given['max-cost-per-day'],
    currency: money,
    allowLoss: given['allow-loss'],
  };
}

function readSecret(value: string | undefined, variableName: string): string {
  const secret = value?.trim() ?? '';
  if (secret === '')
    throw new StackError(`--secret-env names ${variableName}, but that variable is not set or empty.`);
  return secret;
}

/**
 * Reads a header from a variable. An empty value removes the header. An unset variable may be a typo, and a removed
 * header could not be restored, so it is an error.
 */
function readHeader(environment: StackConfig['environment'], variableName: string): string {
  const value = environment[variableName];
  if (value === undefined)
    throw new StackError(
      `--header names ${variableName}, but that variable is not set; to take the header away, set it to nothing.`,
    );
  return value.trim();
}

function backendAnswer(backend: Backend): Answer {
  return { data: backend, lines: table([backend]) };
}

function checkedAnswer(checked: CheckedBackend): Answer {
  const routes = checked.routes.map(
    ({ id, route, fits, problems }) =>
      `${id}, ${route}: ${fits ? 'ready' : problems.map(({ message }) => message).join(' ')}`,
  );
  return { data: checked, lines: [...table([checked]), ...routes] };
}

function table(backends: readonly Backend[]): string[] {
  if (backends.length === 0) return ['There are no backends.'];
  const rows = backends.map(
    ({ name: label, engine, state, slots, in_use: used, labels, cost_today: cost, reason }) => [
      label,
      engine,
      state,
      `${used}/${slots ?? 'each worker'}`,
      labels.join(','),
      String(cost),
      reason ?? '',
    ],
  );
  return tableLines([['NAME', 'ENGINE', 'STATE', 'IN USE', 'LABELS', 'TODAY', ''], ...rows]);
}
