import {
  exampleEditModel,
  exampleExtendModel,
  exampleModel,
  exampleVideoModel,
} from '@renderkit/contract/studio/examples/models.ts';
import type { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';

export function exampleCatalog(): Catalog {
  return {
    version: 'v1',
    plan: 'plus',
    models: [
      exampleModel(),
      exampleModel({ id: 'grand', name: 'Grand', default_for: [], tiers: ['pro'] }),
      exampleModel({ id: 'night/adult', name: 'Night', default_for: [], nsfw: true }),
      exampleEditModel(),
      exampleVideoModel(),
      exampleExtendModel(),
    ],
    styles: [
      { id: 'ink', name: 'Ink', type: 'image', custom: false },
      { id: 'film', name: 'Film', type: 'video', custom: false },
    ],
    suggestions: [],
  };
}
