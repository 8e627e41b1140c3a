/**
 * Every limit that a client of the HTTP API can reach (docs/api.md §8). Lengths of text are in Unicode code points,
 * sizes in bytes. Each name or comment contains the unit. Limits that only protect a process, such as socket time-outs,
 * are in the code of that process.
 */

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

// Requests

/**
 * Requests of a key per minute of the database clock, if the key has no limit of its own. `refuseOverLimit` in
 * `service/src/identity/admission/admit.ts` refuses requests over it.
 */
export const rateLimitPerMinuteDefault = 120;
/**
 * Credits that one action may cost before a command line or an agent must ask, if the key has no value of its own.
 * `needsConfirmation` in `clients/mcp/src/tools/purchase.ts` decides whether an agent asks. `clients/cli/src/price.ts`
 * decides for the command line and repeats the number.
 */
export const confirmAboveDefault = 25;
/** `service/src/identity/admission/store.ts` counts by the minute of the database clock. */
export const rateLimitWindowSeconds = 60;
/** The largest body of an ordinary JSON request. Up to this size, repeated names in an object are refused. */
export const jsonBodyBytes = 256 * kilobyte;
/** The largest body of a JSON request that may contain a mask: edits and estimates. */
export const largeJsonBodyBytes = 16 * megabyte;
/**
 * The largest size of a large body without its mask and white space. The longest possible fields, with every character
 * escaped, have 450 kB.
 */
export const jsonContentBytes = megabyte;
/** The maximum levels of nesting in a JSON body. */
export const jsonDepth = 32;
/**
 * The maximum number of values in a JSON body, on all levels together. Our largest body, for a model with the maximum
 * number of options, has 150.
 */
export const jsonValues = 1_000;
/** The maximum length of a number in a JSON body. */
export const maxJsonNumberCharacters = 40;
export const maxRequestHeaderBytes = 16 * kilobyte;
export const maxRequestHeaders = 100;
/** The maximum number of entries of `errors` in one problem document. */
export const maxProblemErrors = 50;
/** Printable ASCII characters; an empty key is refused. */
export const maxIdempotencyKeyCharacters = 200;
/** How long a create waits for a running create with the same Idempotency-Key. */
export const idempotencyWaitSeconds = 10;

// Lists

export const defaultPageSize = 20;
export const maxPageSize = 100;
/** The maximum number of items before a page: (page - 1) × limit. */
export const maxOffset = 1_000_000;
/**
 * The largest integer that a query parameter may have: nine plain digits. `compileQueryCheck` in
 * `service/src/validation/validate-request.ts` applies it.
 */
export const maxQueryInteger = 999_999_999;

// Long poll

export const maxWaitSeconds = 60;
/** Open long polls of one process; beyond it the answer is `rate_limited`. */
export const maxLongPollsPerProcess = 20_000;

// Streams

/** Open streams of one key, or of one session of the console; beyond it the answer is `rate_limited`. */
export const maxStreamsPerKey = 100;
/** Open streams of one process; beyond it the answer is `rate_limited`. */
export const maxStreamsPerProcess = 20_000;
/** The longest silence of a stream: after it the service sends a comment. */
export const streamHeartbeatSeconds = 15;

// Ids and names

export const maxPathIdCharacters = 200;
/** For ids of assets and videos in a path or a body. */
export const maxAssetIdCharacters = 100;
export const maxProjectIdCharacters = 100;
export const maxSearchCharacters = 100;

// Generations

export const maxModelIdCharacters = 200;
export const maxPromptCharacters = 4096;
export const maxExtendPromptCharacters = 2048;
export const maxStyles = 3;
export const maxStyleIdCharacters = 100;
export const maxSuggestions = 10;
export const maxSuggestionIdCharacters = 50;
export const maxMetadataPairs = 20;
export const maxMetadataValueCharacters = 500;
export const maxAspectRatioCharacters = 20;
export const maxSamplerCharacters = 100;
export const maxReferenceCharacters = 2048;
export const maxReferenceImages = 10;
export const maxReferenceAudios = 5;
export const maxDurationCharacters = 10;
export const maxResolutionCharacters = 20;
export const maxMaskCharacters = 15_000_000;
export const minStrength = 0.1;
export const maxStrength = 1;
/**
 * Queued generations of one account; beyond it the answer is `queue_full`. The operator may change it. The function
 * accept_generations refuses (service/sql/functions).
 */
export const queuedPerAccountDefault = 1000;
/** A generation fails when it could not start for this long. `service/src/generations/settle/give-up-queued.ts` fails it. */
export const maxQueuedHours = 24;

/**
 * The maximum length of a text without a limit of its own, or in an unknown field. It equals the longest limit of any
 * field except a mask.
 */
export const maxTextCharacters = 4096;

// Uploads (defaults; the operator may change them)

/** The studio refuses larger files by `media-kit/src/file-limits.ts`, which repeats the limits of files. */
export const maxImageBytes = 50 * megabyte;
export const maxImagePixels = 50_000_000;
/** Pixels on the longer side of an image. */
export const maxImageSide = 16_384;
export const maxVideoBytes = 500 * megabyte;
export const maxVideoSeconds = 300;
export const maxAudioBytes = 50 * megabyte;
/** How long `POST /v1/uploads` with a URL may take to fetch it. */
export const uploadFetchSeconds = 60;
/** An upload still in `processing` after this long is rejected. */
export const uploadProcessingMinutes = 15;

// Keys and webhooks

/** Active keys of one person. */
export const maxActiveKeys = 50;
export const maxWebhookEndpoints = 10;
/** The time limit of one delivery attempt, including the name look-up. */
export const webhookTimeoutSeconds = 10;
/** The maximum difference between `t` of a signature and the receiver's clock. */
export const webhookSignatureToleranceSeconds = 300;
/**
 * The maximum number of test deliveries that a person may send in any 60 seconds: to one endpoint, and to all endpoints
 * of an account.
 */
export const maxPingsPerMinute = { endpoint: 10, account: 30 } as const;
/** Like `maxPingsPerMinute`, for deliveries that a person sends again. */
export const maxResendsPerMinute = { endpoint: 30, account: 60 } as const;
