import type { Report } from './report.ts';

/**
 * What the studio's render workers need from any engine. Nothing here depends on how an image is made: an engine may
 * draw it, call another machine, or buy it.
 */

export type EngineKind = 'image' | 'image_edit' | 'video' | 'video_extend';

/** The generation's own parameters, already validated against the model's entry in the catalog. */
export interface Parameters {
  /** Numbers by their names in the API: `cfg`, `weight` and the like. */
  readonly settings?: Readonly<Record<string, number>>;
  readonly sampler?: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  /** Ids of styles and suggestions, or the words that they represent. */
  readonly styles?: readonly string[];
  readonly suggestions?: readonly string[];
  readonly baseModel?: string;
}

/** A file on this machine. It was moderated and inspected, but its bytes are still untrusted. */
export interface MediaFile {
  readonly path: string;
}

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Job {
  /** The engine's own name of the model; the catalog maps public model ids to this name. */
  readonly engineModel: string;
  readonly prompt: string;
  readonly seed: number | bigint;
  readonly parameters: Parameters;
  /** JPEG or PNG. */
  readonly references: readonly MediaFile[];
  /** How many files to render. */
  readonly outputs: number;
}

export interface ImageRequest extends Job, Size {
  readonly kind: 'image';
}

export interface ImageEditRequest extends Job {
  readonly kind: 'image_edit';
  /** JPEG or PNG: the image to work on. */
  readonly image: MediaFile;
  /**
   * `null`: the size of the source, except for what the engine must round or cap. Otherwise the source is cropped to
   * this ratio.
   */
  readonly size: Size | null;
  /** 0–1: how much the source changes. */
  readonly strength: number;
  /** `null` for a transform. */
  readonly inpaint: Inpaint | null;
}

export interface Inpaint {
  /**
   * PNG with the source's ratio: white areas change, black areas stay, grey areas are mixed by their value. Alpha is
   * ignored.
   */
  readonly mask: MediaFile;
  /** `refine` keeps the existing shapes, `fill` replaces them. */
  readonly type: 'refine' | 'fill';
  /** How soft the edge of the change is, in pixels of the source. The change never reaches into black areas. */
  readonly blur: number;
}

export interface VideoRequest extends Job, Size {
  readonly kind: 'video';
  readonly durationSeconds: number;
  /** The first and the last frame, cropped to the ratio of the video. */
  readonly startImage: MediaFile | null;
  readonly endImage: MediaFile | null;
  /** Played one after the other as the video's audio, and cut or filled with silence to the video's length. */
  readonly audios: readonly MediaFile[];
  /** A video to redraw frame by frame. What it shows keeps its own speed. */
  readonly sourceVideo: MediaFile | null;
}

export interface VideoExtendRequest extends Job {
  readonly kind: 'video_extend';
  /** Only the continuation is made; it begins with this video's last frame. */
  readonly video: MediaFile;
  /** Length of the continuation. */
  readonly durationSeconds: number;
  /** Pixels of the shorter side; `null`: as in the source. The ratio is the source's. */
  readonly shortSide: number | null;
}

export type EngineRequest = ImageRequest | ImageEditRequest | VideoRequest | VideoExtendRequest;

interface Rendered extends Size {
  /** 0-based position among the outputs of its request. */
  readonly index: number;
  readonly thumbnail: Size & {
    readonly bytes: Buffer;
    readonly contentType: 'image/webp';
  };
  readonly nsfw: boolean;
}

export interface RenderedImage extends Rendered {
  readonly contentType: 'image/png';
  readonly bytes: Buffer;
}

export interface RenderedVideo extends Rendered {
  readonly contentType: 'video/mp4';
  /** On this machine. Exists until the next output is requested, or the iteration ends. */
  readonly path: string;
  readonly durationSeconds: number;
}

export type RenderedFile = RenderedImage | RenderedVideo;

/**
 * All engines are opened by `engines/registry/src/open-engines.ts`. `engineRequest` in
 * `studio/src/renders/engine-request.ts` makes the requests.
 */
export interface Engine {
  /** Stable name, stored with each render. */
  readonly id: string;
  readonly kinds: readonly EngineKind[];
  /** The engine models that this engine accepts. */
  readonly models: readonly string[];
  /**
   * Yields each output as soon as it is finished, in order. Throws to end early: the signal's own reason when the
   * signal aborts, an EngineError for everything else. Calls `report` with the progress of the whole request.
   */
  render(request: EngineRequest, signal: AbortSignal, report?: Report): AsyncIterable<RenderedFile>;
}

/** `studio/src/renders/draw-submission.ts` decides which of these get another try. */
export type EngineErrorCode =
  /** The engine does not have the kind or model: the catalog and the engine disagree. */
  | 'unknown_model'
  /** A value that the engine cannot use; another try fails the same way. */
  | 'invalid_request'
  /** An image, a video or an audio file of the request cannot be read. */
  | 'unreadable_reference'
  /** The render can never succeed. */
  | 'render_impossible'
  /** The machine's disk had no free space; another try succeeds once there is some. */
  | 'out_of_space'
  /** Drawing or encoding broke; another try may succeed. */
  | 'render_failed';

/** The only error that an engine throws on purpose. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
