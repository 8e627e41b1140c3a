import { bindParameter } from '@renderkit/studio/administration/bind-parameter.ts';
import {
  checkModels,
  diffModel,
  exportModel,
  listModels,
  type ModelEntry,
  publishModel,
  retireModel,
} from '@renderkit/studio/administration/models.ts';
import { type Command, command, done, givenPath, problemLine } from './command.ts';
import { addModelCommand, writeFiles } from './model-add.ts';
import { required, text, wholeNumber } from './option.ts';

const actor = 'operator';
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
      'Shows for each route of the models on offer, or of one model, on which backends it works, and what is missing.',
    options: { id: text('ID') },
    run: async ({ open }, values) => {
      const fits = await checkModels((await open()).studio, values.id);
      return {
        data: fits,
        lines: fits.flatMap(({ id, route, backend, fits: works, problems }) => [
          `${id.padEnd(24)} ${route.padEnd(16)} ${(backend ?? '-').padEnd(16)} ${works ? 'ready' : 'no'}`,
          ...problems.map((problem) => `    ${problemLine(problem)}`),
        ]),
        failed: fits.some(({ fits: works }) => !works),
      };
    },
  }),
  command({
    words: 'model publish',
    about:
      'Offers the newest version of a model, or an older one again. Everybody sees it within two seconds.',
    options: { id: required(text('ID')), version },
    run: async ({ open }, { id, version: wanted }) => {
      const published = await publishModel(
        (await open()).studio,
        { id, ...(wanted !== undefined && { version: wanted }) },
        actor,
      );
      return done(published, `${id} is offered in version ${published.version}.`);
    },
  }),
  command({
    words: 'model retire',
    about: 'Takes a model off the list. What waits or runs is still made.',
    options: { id: required(text('ID')) },
    run: async ({ open }, { id }) => {
      await retireModel((await open()).studio, id, actor);
      return done({ id, state: 'retired' }, `${id} is offered no more.`);
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
      'Sets one input of a model from another source, as a new draft: --target positive.text --source prompt.',
    options: {
      id: required(text('ID')),
      target: required(text('NODE.INPUT')),
      source: required(text('SOURCE')),
    },
    run: async ({ open }, values) => {
      const bound = await bindParameter((await open()).studio, values, actor);
      return done(
        { ...bound, target: values.target, source: values.source },
        `${values.id}, version ${bound.version}: ${values.target} comes from ${values.source}. Offer it with model publish.`,
      );
    },
  }),
  command({
    words: 'model export',
    about:
      'Writes the newest version of a model as files: its manifest and its workflow. Added again they are the same version.',
    options: { id: required(text('ID')), out: required(text('DIR')) },
    run: async ({ open, config }, { id, out }) => {
      const exported = await exportModel((await open()).studio, id);
      const files = await writeFiles(givenPath(config, out), exported.files);
      return { data: { files }, lines: files };
    },
  }),
];

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
  return `${id.padEnd(24)} ${state.padEnd(8)} version ${current}${more}  ${price.base_millicredits / 1000} credits  ${name}${why}`;
}
