import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import { checkModelNow, findingsByMachines } from '@renderkit/studio/administration/ask-machines.ts';
import { bindParameters } from '@renderkit/studio/administration/bind-parameters.ts';
import {
  checkModels,
  diffModel,
  listModels,
  type ModelEntry,
  pauseModel,
  publishModel,
  resumeModel,
  retireModel,
} from '@renderkit/studio/administration/models.ts';
import { endSamples } from '@renderkit/studio/administration/sample-model.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import { openMedia } from '@renderkit/studio/storage/open-media.ts';
import { StackError } from '../stack-error.ts';
import { type Command, command, done, givenPath, problemLine } from './command.ts';
import { addModelCommand } from './model-add.ts';
import { openDrivers } from './open-drivers.ts';
import { required, several, text, wholeNumber } from './option.ts';
import { writeModel } from './write-files.ts';

const actor = 'operator';
/** How long backends may take to report what they have, in milliseconds. */
const withinMs = 30_000;
const version = wholeNumber({ min: 1, max: 1_000_000 });

export const modelCommands: Command[] = [
  addModelCommand,
  command({
    words: 'model list',
    about: 'Lists every model with its versions and whether it is offered.',
    options: {},
    run: async ({ open }) => {
      const models = await listModels((await open()).studio);
      return { data: models, lines: models.map(modelLine) };
    },
  }),
  command({
    words: 'model check',
    about:
      'Shows for each route of the models on offer on which backends it works, and what is missing, as the workers found it last. With --id of one model, on offer or not, as its backends say it now. Fails where no backend can make a model.',
    options: { id: text('ID') },
    run: async ({ open }, values) => {
      const databases = await open();
      await using drivers = openDrivers(databases);
      const { id: asked } = values;
      const fits =
        asked === undefined
          ? await checkModels(databases.studio)
          : await checkModelNow(databases.studio, asked, { drivers, withinMs });
      const able = new Set(fits.filter(({ fits: works }) => works).map(({ id }) => id));
      return {
        data: fits,
        lines: fits.flatMap(({ id, route, backend, fits: works, problems, warnings }) => [
          `${id.padEnd(24)} ${route.padEnd(16)} ${(backend ?? '-').padEnd(16)} ${works ? 'ready' : 'no'}`,
          ...problems.map((problem) => `    ${problemLine(problem)}`),
          ...warnings.map((warning) => `    ${warning}`),
        ]),
        failed: fits.some(({ id }) => !able.has(id)),
      };
    },
  }),
  command({
    words: 'model publish',
    about:
      'Offers the newest version of a model, or an older one again. Everybody sees it within two seconds.',
    options: { id: required(text('ID')), version },
    run: async ({ open }, { id, version: wanted }) => {
      const databases = await open();
      await using drivers = openDrivers(databases);
      const published = await publishModel(
        databases.studio,
        { id, ...(wanted !== undefined && { version: wanted }) },
        actor,
        findingsByMachines(databases.studio, { drivers, withinMs }),
      );
      return {
        data: published,
        lines: [`${id} is offered in version ${published.version}.`, ...published.warnings],
      };
    },
  }),
  command({
    words: 'model retire',
    about:
      'Takes a model off the list, or drops a draft. What waits or runs is still made, its own samples excepted: they end.',
    options: { id: required(text('ID')) },
    run: async ({ open }, { id }) => {
      const stopped = await retireModel((await open()).studio, id, actor);
      return {
        data: { id, state: 'retired' },
        lines: [`${id} is retired.`, ...stopped.map(stoppedLine)],
      };
    },
  }),
  command({
    words: 'model stop-sample',
    about:
      'Ends samples of a model that are under way, those of one version or of all. Nothing of them is kept.',
    options: { id: required(text('ID')), version },
    run: async ({ open }, { id, version: wanted }) => {
      const stopped = await endSamples((await open()).studio, { id, version: wanted }, actor);
      return { data: { id, stopped }, lines: stopped.map(stoppedLine) };
    },
  }),
  command({
    words: 'model pause',
    about:
      'Refuses new generations of a model, which stays in the list, until it is resumed. What waits or runs is still made.',
    options: { id: required(text('ID')), reason: required(text('R')) },
    run: async ({ open }, { id, reason }) => {
      await pauseModel((await open()).studio, { id, reason }, actor);
      return done({ id, state: 'paused', reason }, `${id} is paused.`);
    },
  }),
  command({
    words: 'model resume',
    about: 'Takes the pause of a model back.',
    options: { id: required(text('ID')) },
    run: async ({ open }, { id }) => {
      await resumeModel((await open()).studio, id, actor);
      return done({ id, resumed: true }, `${id} is paused by nobody any more.`);
    },
  }),
  command({
    words: 'model diff',
    about: 'Shows what the newest version says that the one on offer does not.',
    options: { id: required(text('ID')) },
    run: async ({ open }, { id }) => {
      const diff = await diffModel((await open()).studio, id);
      const from = diff.published_version === null ? 'nothing' : `version ${diff.published_version}`;
      return {
        data: diff,
        lines: [
          `${id}: from ${from} to version ${diff.version}, ${diff.differences.length} differences.`,
          ...diff.differences.flatMap(({ path: at, before, after }) => [
            at,
            ...(before === null ? [] : [`  - ${JSON.stringify(before)}`]),
            ...(after === null ? [] : [`  + ${JSON.stringify(after)}`]),
          ]),
        ],
      };
    },
  }),
  command({
    words: 'model bind',
    about:
      'Sets an input of a model from another source, as a new draft: --target positive.text --source prompt. Several are set at once, all or none: --target latent.width,latent.height --source width,height.',
    options: {
      id: required(text('ID')),
      target: required(several('NODE.INPUT,…')),
      source: required(several('SOURCE,…')),
    },
    run: async ({ open }, { id, target: targets, source: sources }) => {
      if (targets.length !== sources.length)
        throw new StackError(
          `model bind needs a source for each target: there are ${targets.length} targets and ${sources.length} sources.`,
        );
      const asked = targets.map((target, at) => ({ target, source: sources[at] ?? '' }));
      const databases = await open();
      await using drivers = openDrivers(databases);
      const findingsOf = findingsByMachines(databases.studio, { drivers, withinMs });
      const { bindings, ...bound } = await bindParameters(
        databases.studio,
        { id, bindings: asked },
        { actor, findingsOf },
      );
      const { version: added, problems, warnings } = bound;
      const [target, source] = (['target', 'source'] as const).map((key) =>
        bindings.map((one) => one[key]).join(','),
      );
      return {
        data: { ...bound, published: false, target, source },
        lines: [
          `${id}, version ${added}:`,
          ...bindings.map((one) => `  ${one.target} comes from ${one.source}.`),
          ...problems.map(problemLine),
          ...warnings,
          problems.length > 0
            ? 'More has to be mended before it is offered.'
            : 'Offer it with model publish.',
        ],
      };
    },
  }),
  command({
    words: 'model export',
    about:
      'Writes the newest version of a model as files: its manifest and its workflow. Added again they are the same version.',
    options: { id: required(text('ID')), out: required(text('DIR')) },
    run: async ({ open, config }, { id, out }) => {
      const { studio, environments } = await open();
      const media = await openMedia(studio, readWorkerConfig(environments.worker));
      const files = await writeModel(id, givenPath(config, out), media);
      return { data: { files }, lines: files };
    },
  }),
];

function stoppedLine({ version: of, outcome }: Awaited<ReturnType<typeof endSamples>>[number]): string {
  return outcome === 'ended'
    ? `The sample of version ${of} is stopped.`
    : `The sample of version ${of} ends as soon as its engine lets go of it.`;
}

function modelLine({
  id,
  name,
  state,
  version: current,
  draft_version: draft,
  price,
  reason,
}: ModelEntry): string {
  const more = draft === null || draft === current ? '' : `, draft ${draft}`;
  const why = reason === null ? '' : `  ${reason}`;
  return `${id.padEnd(24)} ${state.padEnd(8)} version ${current}${more}  ${creditsOf(price.base_millicredits)} credits  ${name}${why}`;
}
