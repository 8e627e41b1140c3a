import type { ModelOption } from '@renderkit/contract/studio/schemas/catalog.ts';
import { type CatalogModel, defineModel, type Ratio } from './define-model.ts';

const seconds: ModelOption = {
  key: 'seconds',
  name: 'Seconds',
  type: 'slider',
  min: 1,
  max: 300,
  step: 1,
  default: 20,
};
const small: Ratio = { ratio: '1:1', width: 256, height: 256 };

/** Models that go wrong on purpose, so that a client can be tried with every end of a generation. */
export const sandboxModels: CatalogModel[] = [
  defineModel({
    id: 'sandbox-fail',
    name: 'Sandbox: fails',
    description: 'For trying a client: every generation fails and is refunded. Procedural, no AI model.',
    suites: ['image'],
    engine: 'sandbox',
    engineModel: 'sandbox-fail',
    prompt_required: false,
    batch_size: { Conjure: 1 },
    price: { base_millicredits: 1_000 },
    parameters: { aspect_ratios: [small] },
  }),
  defineModel({
    id: 'sandbox-partial',
    name: 'Sandbox: makes a part',
    description:
      'For trying a client: of two pictures one is made, so that a generation succeeds with `partial_failure`. ' +
      'Procedural, no AI model.',
    suites: ['image'],
    engine: 'sandbox',
    engineModel: 'sandbox-partial',
    prompt_required: false,
    batch_size: { Conjure: 2 },
    price: { base_millicredits: 1_000 },
    parameters: { aspect_ratios: [small] },
  }),
  defineModel({
    id: 'sandbox-slow',
    name: 'Sandbox: takes its time',
    description:
      'For trying a client: one picture, after as many seconds as the option says. Procedural, no AI model.',
    suites: ['image'],
    engine: 'sandbox',
    engineModel: 'sandbox-slow',
    delayOption: seconds.key,
    prompt_required: false,
    batch_size: { Conjure: 1 },
    price: { base_millicredits: 1_000 },
    parameters: {
      aspect_ratios: [small],
      options: [seconds],
    },
  }),
];
