/**
 * Every limit that a client of the HTTP API can run into (docs/api.md §8). Lengths of text are Unicode code
 * points, sizes are bytes, and each name or comment carries the unit. Limits that only protect a process, such as
 * socket time-outs, stand with that process.
 */

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

// Requests

/** Requests of one key in one minute of the database clock, where the key sets no limit of its own. */
export const rateLimitPerMinuteDefault = 120;
/** Credits that one act may cost before a command line or an agent has to ask, where a key says nothing of its own. */
export const confirmAboveDefault = 25;
export const rateLimitWindowSeconds = 60;
/** Body of an ordinary JSON request. Up to this size repeated names in an object are looked for and refused. */
export const jsonBodyBytes = 256 * kilobyte;
/** Body of a JSON request that may hold a mask: edits and estimates. */
export const largeJsonBodyBytes = 16 * megabyte;
/** Of a large body without its mask and white space. The fields at their longest, every character escaped, are 450 kB. */
export const jsonContentBytes = megabyte;
/** Levels of nesting in a JSON body. */
export const jsonDepth = 32;
/** Values in a JSON body, at every level together. The largest of ours, with as many options as a model may have, has 150. */
export const jsonValues = 1_000;
/** Characters of a number in a JSON body. */
export const maxJsonNumberCharacters = 40;
export const maxRequestHeaderBytes = 16 * kilobyte;
export const maxRequestHeaders = 100;
/** Entries of `errors` in one problem document. */
export const maxProblemErrors = 50;
/** Characters of printable ASCII; empty is refused. */
export const maxIdempotencyKeyCharacters = 200;
/** How long a create waits for another one in flight under the same Idempotency-Key. */
export const idempotencyWaitSeconds = 10;

// Lists

export const defaultPageSize = 20;
export const maxPageSize = 100;
/** Items skipped before a page starts: (page - 1) × limit. */
export const maxOffset = 1_000_000;
/** Largest integer that a query parameter is read as: nine plain digits. */
export const maxQueryInteger = 999_999_999;

// Long poll

export const maxWaitSeconds = 60;
/** Open long polls of one process; past it the answer is `rate_limited`. */
export const maxLongPollsPerProcess = 20_000;

// Streams

/** Open streams of one key, or of one session of the console; past it the answer is `rate_limited`. */
export const maxStreamsPerKey = 100;
/** Open streams of one process, likewise. */
export const maxStreamsPerProcess = 20_000;
/** Longest that a stream says nothing: a comment comes then. */
export const streamHeartbeatSeconds = 15;

// Ids and names

export const maxPathIdCharacters = 200;
/** Ids of assets and videos where they are named in a path or a body. */
export const maxAssetIdCharacters = 100;
export const maxProjectIdCharacters = 100;
export const maxSearchCharacters = 100;
export const minProjectTitleCharacters = 2;
export const maxProjectTitleCharacters = 50;

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
/** Queued generations of one account; past it the answer is `queue_full`. The operator may set another. */
export const queuedPerAccountDefault = 1000;
/** A generation that could not start for this long fails. */
export const maxQueuedHours = 24;

/** Code points of a text for which a field sets no limit, or whose field is not known: those of the longest but a mask. */
export const maxTextCharacters = 4096;

// Uploads (defaults; the operator may set others)

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
/** Wall clock of one delivery attempt, name look-up included. */
export const webhookTimeoutSeconds = 10;
/** How far `t` of a signature may be from the receiver's clock. */
export const webhookSignatureToleranceSeconds = 300;
/** Test deliveries that a person may send in any 60 seconds, to one endpoint and to all of an account. */
export const maxPingsPerMinute = { endpoint: 10, account: 30 } as const;
/** The same for deliveries that are sent again by hand. */
export const maxResendsPerMinute = { endpoint: 30, account: 60 } as const;
