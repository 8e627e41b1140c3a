import type { Report } from './report.ts';

/**
 * What the studio's render workers ask of whatever renders for them. Nothing here knows how an image comes to
 * be: an engine may draw it, call a machine across the room, or buy it.
 */

export type EngineKind = 'image' | 'image_edit' | 'video' | 'video_extend';

/** The generation's own parameters, already validated against the model's entry in the catalog. */
export interface Parameters {
  /** Numbers by their names in the API: `cfg`, `weight` and the like. */
  readonly settings?: Readonly<Record<string, number>>;
  readonly sampler?: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  /** Ids of styles and suggestions, or the words they stand for. */
  readonly styles?: readonly string[];
  readonly suggestions?: readonly string[];
  readonly baseModel?: string;
}

/** A file on this machine, already moderated and inspected; its bytes are foreign all the same. */
export interface MediaFile {
  readonly path: string;
}

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Job {
  /** The engine's own name of the model; the catalog maps public model ids to it. */
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
  /** Null: as the source is, but for what the engine must round or cap. Otherwise the source is cut to this ratio. */
  readonly size: Size | null;
  /** 0–1: how far the source gives way. */
  readonly strength: number;
  /** Null for a transform. */
  readonly inpaint: Inpaint | null;
}

export interface Inpaint {
  /** PNG of the source's ratio: white changes, black stays, grey mixes by its value; alpha means nothing. */
  readonly mask: MediaFile;
  /** `refine` keeps the forms that are there, `fill` puts others in their place. */
  readonly type: 'refine' | 'fill';
  /** How softly the change sets in, in pixels of the source. Never reaches into what is black. */
  readonly blur: number;
}

export interface VideoRequest extends Job, Size {
  readonly kind: 'video';
  readonly durationSeconds: number;
  /** The first and the last frame, cut to the ratio of the video. */
  readonly startImage: MediaFile | null;
  readonly endImage: MediaFile | null;
  /** One after the other they are the audio, cut or followed by silence to the video's end. */
  readonly audios: readonly MediaFile[];
  /** A video to draw anew, frame by frame; what it shows of time goes on at its own pace. */
  readonly sourceVideo: MediaFile | null;
}

export interface VideoExtendRequest extends Job {
  readonly kind: 'video_extend';
  /** The continuation alone is made; it begins with this video's last frame. */
  readonly video: MediaFile;
  /** Length of the continuation. */
  readonly durationSeconds: number;
  /** Pixels of the shorter side; null: as the source has it. The ratio is the source's. */
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
  /** On this machine; there until the next output is asked for, or no more are. */
  readonly path: string;
  readonly durationSeconds: number;
}

export type RenderedFile = RenderedImage | RenderedVideo;

export interface Engine {
  /** Stable name, stored beside each render. */
  readonly id: string;
  readonly kinds: readonly EngineKind[];
  /** The engine models this engine answers to. */
  readonly models: readonly string[];
  /**
   * Yields each output as soon as it is finished, in order. Ends early by throwing: the signal's own reason when
   * the signal aborts, an EngineError for everything else. `report` is told how far the whole request is.
   */
  render(request: EngineRequest, signal: AbortSignal, report?: Report): AsyncIterable<RenderedFile>;
}

export type EngineErrorCode =
  /** The engine does not know the kind or model: the catalog and the engine disagree. */
  | 'unknown_model'
  /** A value the engine cannot work with; trying again gives the same answer. */
  | 'invalid_request'
  /** An image, a video or an audio file of the request that cannot be read. */
  | 'unreadable_reference'
  /** Cannot be made, now or later. */
  | 'render_impossible'
  /** There was no space on the machine's disk; another try succeeds once there is. */
  | 'out_of_space'
  /** Drawing or encoding broke; another try may succeed. */
  | 'render_failed';

/** The only error an engine throws of its own accord. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
