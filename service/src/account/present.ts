import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type {
  StudioAccount,
  StudioBalance,
  StudioLimits,
} from '@renderkit/contract/studio/schemas/account.ts';
import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Account } from '@renderkit/contract/v1/schemas/account.ts';
import type { Balance } from '@renderkit/contract/v1/schemas/balance.ts';
import type { Limits } from '@renderkit/contract/v1/schemas/limits.ts';
import type { Storage } from '@renderkit/contract/v1/schemas/storage.ts';
import type { AvailableCredits } from '../credits/available-credits.ts';
import type { QueuedRow } from './store.ts';

export function presentBalance(balance: StudioBalance, available: AvailableCredits): Balance {
  return {
    object: 'balance',
    balance: creditsOf(available.total),
    monthly: creditsOf(available.monthly),
    lifetime: creditsOf(available.lifetime),
    monthly_allowance:
      balance.allowance_millicredits === null ? null : creditsOf(balance.allowance_millicredits),
    next_refill: balance.next_refill,
  };
}

export function presentAccount(account: StudioAccount, balance: Balance): Account {
  const { tier, capabilities } = account;
  return {
    id: account.id,
    object: 'account',
    email: account.email,
    name: account.name,
    username: account.username,
    tier: tier && { key: tier.key, name: tier.name },
    organization: account.organization,
    age_verified: account.age_verified,
    credits: balance,
    capabilities: {
      audio_upload: capabilities.audio_upload,
      video_upload: capabilities.video_upload,
      uploads: capabilities.uploads,
      custom_models: capabilities.custom_models,
      character_creation_modes: capabilities.character_creation_modes,
    },
  };
}

/**
 * `limit` and `running` come from the studio and include jobs of other services; `queued` comes from our database.
 * `service/sql/functions/claim_generations_up_to.sql` applies the limits before a generation is sent.
 */
export function presentLimits(limits: StudioLimits, queued: QueuedRow): Limits {
  const lane = (name: 'image' | 'edit' | 'video') => ({
    limit: limits[name].limit,
    running: limits[name].running,
    queued: queued[`queued_${name}`],
  });
  return {
    object: 'limits',
    overall: { limit: limits.overall.limit, running: limits.overall.running },
    image: lane('image'),
    edit: lane('edit'),
    video: lane('video'),
  };
}

export function presentStorage(storage: StudioStorage): Storage {
  const { used_bytes, limit_bytes, uploads_bytes, outputs_bytes } = storage;
  return { object: 'storage', used_bytes, limit_bytes, uploads_bytes, outputs_bytes };
}
