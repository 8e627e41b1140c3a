import { kindFacts, kinds, settingNames } from '@renderkit/contract/studio/kinds.ts';
import { durationsOf, samplersOf } from '@renderkit/contract/studio/offers.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { valuesOfOption } from './accepted-requests.ts';
import type { Manifest } from './manifest.ts';
import { maxSeed, standsFor } from './offered-sources.ts';
import type { LineOf } from './read-manifest.ts';

type Add = (code: Problem['code'], path: readonly (string | number)[], message: string) => void;

/**
 * Returns contradictions in a model's offer: defaults outside of their range, a video without sizes, prices of options
 * that are not offered. `studio/src/administration/warn-of-offer.ts` has what is only a warning.
 */
export function checkOffers(manifest: Manifest, lineOf: LineOf): Problem[] {
  const problems: Problem[] = [];
  const add: Add = (code, path, message) => problems.push({ code, message, line: lineOf(path) });
  checkSuites(manifest, add);
  checkSizes(manifest, add);
  checkRanges(manifest, add);
  for (const at of manifest.parameters.options.keys()) checkOption(manifest, at, add);
  checkPrices(manifest, add);
  return problems;
}

function checkSuites(manifest: Manifest, add: Add): void {
  const { suites, default_for: defaultFor, batch_size: batchSize, parameters, inpaint } = manifest;
  for (const [at, suite] of suites.entries())
    if (suites.indexOf(suite) !== at)
      add('choice_unknown', ['suites', at], `The suite ${suite} is there twice.`);
  for (const [at, suite] of defaultFor.entries())
    if (!suites.includes(suite))
      add(
        'choice_unknown',
        ['default_for', at],
        `The model is default for ${suite}, which is none of its suites.`,
      );
  const keys = kinds
    .filter((kind) => suites.includes(kindFacts[kind].suite))
    .map((kind) => kindFacts[kind].batchKey);
  for (const key of keys)
    if (batchSize[key] === undefined)
      add('input_missing', ['batch_size'], `batch_size needs ${key}: how many a request makes.`);
  for (const key of Object.keys(batchSize))
    if (!keys.some((one) => one === key))
      add('unknown_key', ['batch_size', key], `batch_size.${key} belongs to none of the model's suites.`);
  const { frames, audio, source_video: source } = parameters;
  const offersVideo = frames.start || frames.end || audio !== null || source !== null;
  if (offersVideo && !suites.includes('video'))
    add(
      'binding_unused',
      ['parameters'],
      'Frames, audio and a source video are for models of the suite video.',
    );
  if (frames.start_required && !frames.start)
    add('binding_unused', ['parameters', 'frames'], 'A start image that is required has to be offered.');
  if (frames.end_required && !frames.end)
    add('binding_unused', ['parameters', 'frames'], 'An end image that is required has to be offered.');
  if (inpaint && !suites.includes('edit'))
    add('binding_unused', ['inpaint'], 'Only models of the suite edit can inpaint.');
  if (!inpaint && manifest.inpaint_types !== undefined)
    add('binding_unused', ['inpaint_types'], 'inpaint_types needs "inpaint: true".');
  if (!inpaint && parameters.mask_blur !== null)
    add('binding_unused', ['parameters', 'mask_blur'], 'mask_blur needs "inpaint: true".');
}

function checkSizes({ suites, parameters }: Manifest, add: Add): void {
  const { aspect_ratios: ratios, video_sizes: videoSizes, same_ratio_supported: sameRatio } = parameters;
  if (ratios.length === 0 && (suites.includes('image') || (suites.includes('edit') && !sameRatio)))
    add('input_missing', ['parameters'], 'Images need aspect_ratios with their sizes.');
  if (Object.keys(videoSizes).length === 0 && suites.includes('video'))
    add('input_missing', ['parameters'], 'Videos need video_sizes.');
  for (const [at, { ratio }] of ratios.entries())
    if (ratios.findIndex((one) => one.ratio === ratio) !== at)
      add('choice_unknown', ['parameters', 'aspect_ratios', at], `The ratio ${ratio} is there twice.`);
  const isTimed = suites.includes('video') || suites.includes('extend');
  const seconds = durationsOf(parameters);
  if (isTimed && parameters.durations.length === 0)
    add('input_missing', ['parameters'], 'Videos need durations.');
  for (const [at, { value }] of parameters.durations.entries())
    if (!seconds.some((one) => one.value === value))
      add('out_of_range', ['parameters', 'durations', at], `"${value}" is no number of seconds.`);
}

function checkRanges({ parameters }: Manifest, add: Add): void {
  for (const name of settingNames) {
    const range = parameters[name];
    if (range !== null) checkRange(range, ['parameters', name], add);
  }
  const samplers = samplersOf(parameters);
  if (new Set(samplers).size < samplers.length)
    add('choice_unknown', ['parameters', 'sampler'], 'A sampler is there twice.');
}

type Range = { min?: number; max?: number; step?: number; default?: number | string };

function checkRange(range: Range, path: readonly (string | number)[], add: Add): void {
  const { min, max, step, default: initial } = range;
  const name = path.at(-1);
  if (min === undefined || max === undefined) add('input_missing', path, `${name} needs min and max.`);
  else if (min >= max) add('out_of_range', path, `${name}: min must be less than max.`);
  else if (typeof initial !== 'number' || initial < min || initial > max)
    add('out_of_range', path, `${name}: the default must lie between ${min} and ${max}.`);
  if (step !== undefined && step <= 0) add('out_of_range', path, `${name}: step must be more than 0.`);
}

function checkOption({ parameters }: Manifest, at: number, add: Add): void {
  const option = parameters.options[at];
  if (option === undefined) return;
  const { key, type, default: initial } = option;
  const path = ['parameters', 'options', at];
  const problem = (code: Problem['code'], message: string): void =>
    add(code, path, `Option ${key}: ${message}`);
  if (parameters.options.findIndex((one) => one.key === key) !== at)
    problem('choice_unknown', 'another has this key.');
  const values = (option.values ?? []).map(({ value }) => value);
  switch (type) {
    case 'select':
      if (values.length === 0) problem('input_missing', 'a select needs values.');
      else if (!values.includes(String(initial)))
        problem('choice_unknown', `its default ${initial} is none of its values.`);
      if (new Set(values).size < values.length) problem('choice_unknown', 'a value is there twice.');
      return;
    case 'toggle':
      if (initial !== 0 && initial !== 1) problem('out_of_range', 'the default of a toggle is 0 or 1.');
      return;
    case 'text':
      if (option.max_length === undefined) problem('input_missing', 'a text needs max_length.');
      else if (typeof initial !== 'string') problem('type_mismatch', 'the default of a text is a text.');
      else if ([...initial].length > option.max_length)
        problem('out_of_range', 'its default is longer than max_length.');
      return;
    case 'slider':
      checkRange(option, path, (code, _path, message) => problem(code, message.replace(/^\d+:? /, '')));
      // A seed outside of this range would be replaced by another seed.
      if (`options.${key}` === standsFor.seed && ((option.min ?? 0) < -1 || (option.max ?? 0) > maxSeed))
        problem('out_of_range', `a seed lies between -1, which leaves it to chance, and ${maxSeed}.`);
  }
}

function checkPrices({ price, parameters }: Manifest, add: Add): void {
  for (const [key, amounts] of Object.entries(price.options ?? {})) {
    const path = ['price', 'options', key];
    const option = parameters.options.find((one) => one.key === key);
    const values = option && valuesOfOption(option);
    if (option === undefined)
      add('choice_unknown', path, `The price names the option ${key}, which is not offered.`);
    else if (values !== undefined)
      for (const value of Object.keys(amounts))
        if (!values.includes(value))
          add('choice_unknown', [...path, value], `The price names ${key} ${value}, which is not offered.`);
  }
}
