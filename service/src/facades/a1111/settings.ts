import { samplersOf } from '@renderkit/contract/studio/offers.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogCache } from '../../catalog/catalog-cache.ts';
import { type CatalogIndex, indexOf, isIncluded } from '../../catalog/catalog-index.ts';
import type { Admitted } from '../../identity/admission/admit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { translated } from '../../studio-client/translate-error.ts';
import { chooseModel } from '../choose-model.ts';
import type { createReadRequest } from '../read-request.ts';
import { readChosenModel, recordChosenModel } from '../store.ts';

export type SettingsOptions = {
  database: Database;
  catalogCache: CatalogCache;
  readRequest: ReturnType<typeof createReadRequest>;
};

const bodyBytes = 256 * 1024;

/**
 * Constant lists of things that cannot be chosen here. One program removes the first upscaler, so one must be listed.
 */
export const constantLists = {
  '/schedulers': [
    { name: 'automatic', label: 'Automatic', aliases: null, default_rho: -1, need_inner_model: false },
  ],
  '/upscalers': [{ name: 'None', model_name: null, model_path: null, model_url: null, scale: 4 }],
  '/latent-upscale-modes': [{ name: 'None' }],
  '/sd-vae': [],
  '/loras': [],
  '/embeddings': { loaded: {}, skipped: {} },
  '/hypernetworks': [],
  '/face-restorers': [],
  '/prompt-styles': [],
  '/scripts': { txt2img: [], img2img: [] },
  '/cmd-flags': {},
  '/memory': { ram: {}, cuda: {} },
} as const;

/** Answers what programs ask before they make pictures: the chosen model, and the possible choices. */
export function createSettings({ database, catalogCache, readRequest }: SettingsOptions) {
  const indexFor = async ({ admitted }: FastifyRequest) =>
    indexOf((await translated(catalogCache.get((admitted as Admitted).principal.account.id))).catalog);
  const chosenFor = async (request: FastifyRequest, index: CatalogIndex) => {
    const { key } = (request.admitted as Admitted).principal;
    const chosen = chooseModel(index, 'image', await readChosenModel(database, key.id));
    if ('model' in chosen && draws(chosen.model)) return chosen.model;
    return index.defaults.get('image');
  };
  return {
    show: async (request: FastifyRequest, reply: FastifyReply) => {
      const model = await chosenFor(request, await indexFor(request));
      return reply.send({
        sd_model_checkpoint: model?.id ?? null,
        sd_vae: 'Automatic',
        samples_format: 'png',
      });
    },

    /** Stores the model for this key. Nothing else can be set. `image-request.ts` applies it. */
    choose: async (request: FastifyRequest, reply: FastifyReply) => {
      const { account, key } = (request.admitted as Admitted).principal;
      const { fields } = await readRequest(request, reply, account.id, {
        limitBytes: bodyBytes,
        fileFields: [],
        isMaskOfAlpha: () => false,
      });
      const name = fields['sd_model_checkpoint'];
      if (typeof name === 'string' && name !== '') {
        const chosen = chooseModel(await indexFor(request), 'image', name);
        if ('unknown' in chosen) throw new ApiProblem('not_found', { detail: `${chosen.unknown}.` });
        if (!draws(chosen.model))
          throw new ApiProblem('invalid_request', {
            detail: `The model ${chosen.model.id} makes no pictures; GET /sd-models lists those that do.`,
          });
        await recordChosenModel(database, { keyId: key.id, model: chosen.model.id });
      }
      return reply.type('application/json').send('null');
    },

    models: async (request: FastifyRequest, reply: FastifyReply) => {
      const index = await indexFor(request);
      const drawing = [...index.models.values()].filter(
        (model) => isIncluded(model, index.plan) && draws(model),
      );
      return reply.send(
        drawing.map(({ id }) => ({
          title: id,
          model_name: id,
          hash: null,
          sha256: null,
          filename: '',
          config: null,
        })),
      );
    },

    samplers: async (request: FastifyRequest, reply: FastifyReply) => {
      const model = await chosenFor(request, await indexFor(request));
      const names = ['Automatic', ...(model === undefined ? [] : samplersOf(model.parameters))];
      return reply.send(names.map((name) => ({ name, aliases: [], options: {} })));
    },
  };
}

function draws({ suites }: StudioModel): boolean {
  return suites.some((suite) => suite === 'image' || suite === 'edit');
}
