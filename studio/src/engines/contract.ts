/**
 * What the studio's render workers ask of whatever renders for them. Nothing here knows how a picture comes to
 * be: an engine may draw it, call a machine across the room, or buy it.
 */

export type EngineKind = 'image' | 'image_edit' | 'video' | 'video_extend';

/** The generation's own parameters, already validated against the model's entry in the catalog. */
export interface ImageParameters {
  readonly cfg?: number;
  readonly weight?: number;
  readonly clipSkip?: number;
  readonly sampler?: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  /** Ids of styles and suggestions, or the words they stand for. */
  readonly styles?: readonly string[];
  readonly suggestions?: readonly string[];
  readonly baseModel?: string;
}

export interface ImageRequest {
  readonly kind: 'image';
  /** The engine's own name of the model; the catalog maps public model ids to it. */
  readonly engineModel: string;
  readonly prompt: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly seed: number | bigint;
  readonly parameters: ImageParameters;
  /** JPEG or PNG files on this machine, already moderated and checked for size. */
  readonly references: readonly { readonly path: string }[];
  /** How many pictures to render. */
  readonly outputs: number;
}

/** One member per kind; further kinds join here. */
export type EngineRequest = ImageRequest;

export interface RenderedFile {
  /** 0-based position among the outputs of its request. */
  readonly index: number;
  readonly bytes: Buffer;
  readonly contentType: 'image/png';
  /** Pixels, exactly as asked. */
  readonly width: number;
  readonly height: number;
  readonly thumbnail: {
    readonly bytes: Buffer;
    readonly contentType: 'image/webp';
    readonly width: number;
    readonly height: number;
  };
  readonly nsfw: boolean;
}

export interface Engine {
  /** Stable name, stored beside each render. */
  readonly id: string;
  readonly kinds: readonly EngineKind[];
  /** The engine models this engine answers to. */
  readonly models: readonly string[];
  /**
   * Yields each output as soon as it is finished, in order. Ends early by throwing: the signal's own reason when
   * the signal aborts, an EngineError for everything else.
   */
  render(request: EngineRequest, signal: AbortSignal): AsyncIterable<RenderedFile>;
}

export type EngineErrorCode =
  /** The engine does not know the kind or model: the catalog and the engine disagree. */
  | 'unknown_model'
  /** A value the engine cannot work with; trying again gives the same answer. */
  | 'invalid_request'
  /** A reference picture that cannot be read. */
  | 'unreadable_reference'
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
