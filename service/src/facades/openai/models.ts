import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogCache } from '../../catalog/catalog-cache.ts';
import { indexOf, isIncluded } from '../../catalog/catalog-index.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import { translated } from '../../studio-client/translate-error.ts';
import { chooseModel, describeMissingModel, shownAliases } from '../choose-model.ts';
import { openAiRefusal } from './errors.ts';
import { sentence } from './image-request.ts';

/** Every answer of OpenAI's API has a creation time; our models have none. */
const created = Date.UTC(2026, 0, 1) / 1_000;

/** `GET /models` and `GET /models/{id}` of OpenAI's API: the models in the plan, after names that clients look for. */
export function createModels({ catalogCache }: { catalogCache: CatalogCache }) {
  const indexFor = async (request: FastifyRequest) => {
    const { principal } = request.admitted as Admitted;
    return indexOf((await translated(catalogCache.get(principal.account.id))).catalog);
  };
  const list = async (request: FastifyRequest, reply: FastifyReply) => {
    const index = await indexFor(request);
    const aliases = shownAliases.flatMap((name) => {
      const chosen = chooseModel(index, name.startsWith('sora') ? 'video' : 'image', name);
      return 'unknown' in chosen ? [] : [present(chosen.model, name)];
    });
    const included = [...index.models.values()].filter((model) => isIncluded(model, index.plan));
    return reply.send({
      object: 'list',
      data: [...aliases, ...included.map((model) => present(model, model.id))],
    });
  };
  return {
    list,
    show: async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
      const name = request.params['*'];
      // A program may write a slash after every path.
      if (name === '') return list(request, reply);
      const index = await indexFor(request);
      const byName = chooseModel(index, name.startsWith('sora-') ? 'video' : 'image', name);
      if ('unknown' in byName)
        throw openAiRefusal(404, 'model_not_found', sentence(describeMissingModel(name, index)), 'model');
      return reply.send(present(byName.model, name));
    },
  };
}

function present(model: StudioModel, id: string): object {
  const video = model.suites.some((suite) => suite === 'video' || suite === 'extend');
  const { max_reference_images: references, frames, source_video: source, audio } = model.parameters;
  const takes = {
    image: model.suites.includes('edit') || references > 0 || frames.start || frames.end,
    video: model.suites.includes('extend') || source !== null,
    audio: audio !== null,
  };
  return {
    id,
    object: 'model',
    created,
    owned_by: 'renderkit',
    name: model.name,
    architecture: {
      input_modalities: ['text', ...(['image', 'video', 'audio'] as const).filter((type) => takes[type])],
      output_modalities: [video ? 'video' : 'image'],
    },
  };
}
