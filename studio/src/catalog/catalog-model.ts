import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';

/** Pixels. */
export type Size = { width: number; height: number };

/** A version of a model: what users are offered, and what only the studio uses. */
export type CatalogModel = {
  id: string;
  version: number;
  /** `thumbnail` is `null` here: its link needs the address of the studio that serves it. */
  offered: StudioModel;
  /** Storage key. */
  thumbnailKey: string | null;
  /** In order of preference. */
  routes: readonly Route[];
  /** Sizes of the videos it makes, by aspect ratio. */
  videoSizes: Readonly<Record<string, Size>>;
  /** Styles that it cannot be combined with. */
  refusedStyles: readonly string[];
  /** Types of inpaint that it takes, if it takes inpaints. */
  inpaintTypes: readonly ('refine' | 'fill')[];
  /**
   * Nothing can make it at present; `reason` is for operators. `since` is ISO 8601.
   * `studio/sql/functions/pause_reason.sql` decides it.
   */
  paused: { since: string; reason: string } | null;
};

/** The facts of a version that are not in its manifest. */
export type VersionFacts = Pick<CatalogModel, 'version' | 'thumbnailKey' | 'paused'> & {
  /** How long its sample took; `null` if none was rendered. */
  sampleSeconds: number | null;
};

/** Builds the catalog's model from a manifest that has been checked. */
export function catalogModel(manifest: Manifest, { sampleSeconds, ...row }: VersionFacts): CatalogModel {
  const { video_sizes: videoSizes, ...parameters } = manifest.parameters;
  const seconds = sampleSeconds ?? manifest.routes[0]?.typical_seconds;
  return {
    ...row,
    id: manifest.id,
    routes: manifest.routes,
    videoSizes,
    refusedStyles: manifest.refused_styles,
    inpaintTypes: manifest.inpaint_types ?? ['refine', 'fill'],
    offered: {
      id: manifest.id,
      name: manifest.name,
      kind: manifest.kind,
      suites: manifest.suites,
      default_for: manifest.default_for,
      inpaint: manifest.inpaint,
      nsfw: manifest.nsfw,
      description: manifest.description,
      thumbnail: null,
      prompt_required: manifest.prompt_required,
      tiers: manifest.tiers,
      batch_size: manifest.batch_size,
      parameters: { ...parameters, video_aspect_ratios: Object.keys(videoSizes) },
      ...(manifest.base_models !== undefined && { base_models: manifest.base_models }),
      ...(manifest.element !== undefined && { element: manifest.element }),
      ...(manifest.subjects !== undefined && { subjects: manifest.subjects }),
      ...(seconds !== undefined && { usual_seconds: seconds }),
      price: manifest.price,
    },
  };
}
