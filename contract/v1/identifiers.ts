/**
 * Prefixes of the ids that the service creates (docs/api.md §2, §6 and §7). Only people who manage webhook endpoints
 * see the prefix `whk_`. `newId` in `server-kit/src/ids.ts` makes the ids; the functions new_delivery_id and
 * new_event_id make some of them (service/sql/functions).
 */
export const idPrefixes = {
  generation: 'gen_',
  upload: 'upl_',
  event: 'evt_',
  delivery: 'dlv_',
  request: 'req_',
  webhook: 'whk_',
} as const;

export const apiKeyPrefix = 'rk_live_';
export const apiKeyPublicIdCharacters = 12;
export const apiKeySecretCharacters = 32;

/**
 * Shape of an API key (docs/api.md §5): prefix, public id, `_`, secret, the last two base62.
 * `service/src/identity/keys/key-text.ts` makes and reads keys.
 */
export const apiKeyPattern = /^rk_live_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})$/;

export const signingSecretPrefix = 'whsec_';
