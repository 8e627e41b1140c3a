import type { CatalogModel } from './define-model.ts';
import { editModels } from './edit-models.ts';
import { imageModels } from './image-models.ts';
import { sandboxModels } from './sandbox-models.ts';
import { videoModels } from './video-models.ts';

export type { CatalogModel } from './define-model.ts';

/** Every model, in the order of the list. */
export const models: CatalogModel[] = [...imageModels, ...editModels, ...videoModels, ...sandboxModels];
