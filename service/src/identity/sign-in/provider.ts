import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Configuration } from 'openid-client';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';
import { describe } from './failure.ts';

/** The studio as an OpenID provider, and its id in our database. */
export type Provider = { studioId: string; configuration: Configuration };

export type Providers = {
  /**
   * Returns the provider. `fresh`: asks the studio for its identity again. @throws StudioFailure or an error of
   * openid-client
   */
  get: (options?: { fresh?: boolean }) => Promise<Provider>;
  /** Returns an address of the provider as browsers reach it. @throws StudioFailure */
  forBrowsers: (address: URL) => string;
};

/** Endpoints may move with a new release of the studio. */
const freshForMs = 5 * 60_000;
const timeoutSeconds = 10;

/**
 * The first sign-in loads openid-client, here and in the neighboring files: most processes that serve the API never
 * need it. The provider itself is the studio's: `identity/src/provider/provider.ts`.
 */
export function createProviders(options: {
  studio: StudioClient['signingIn'];
  studioUrl: string;
  studioPublicUrl: string;
  studioClientId: string;
  studioClientSecret: string;
}): Providers {
  const { studio } = options;
  const [inside, outside] = [new URL(options.studioUrl).origin, new URL(options.studioPublicUrl).origin];
  let known: { issuer: string; configuration: Configuration; readAt: number } | undefined;
  let reading: Promise<void> | undefined;

  const discover = async (issuer: string): Promise<Configuration> => {
    const client = await import('openid-client');
    return client.discovery(
      new URL(issuer),
      options.studioClientId,
      undefined,
      client.ClientSecretBasic(options.studioClientSecret),
      {
        [client.customFetch]: (url, request) => studio.fetch(url, request),
        timeout: timeoutSeconds,
        execute: [
          // The operator chose the address of the studio, so http is allowed. Signatures are checked in any case.
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
          client.enableNonRepudiationChecks,
        ],
      },
    );
  };

  const read = async (issuer: string) => {
    const configuration = await discover(issuer);
    known = { issuer, configuration, readAt: performance.now() };
  };

  return {
    get: async ({ fresh = false } = {}) => {
      const { studioId, issuer } = await studio.issuer({ fresh });
      if (known?.issuer !== issuer || performance.now() - known.readAt > freshForMs)
        // Concurrent requests share one read: anybody can cause one, and each costs the studio a call.
        await (reading ??= read(issuer).finally(() => (reading = undefined)));
      if (known?.issuer !== issuer)
        throw new StudioFailure('unavailable', 'the issuer changes', { maybeSent: true });
      return { studioId, configuration: known.configuration };
    },
    forBrowsers: (address) => {
      if (address.origin !== inside && address.origin !== outside)
        throw new StudioFailure('nonsense', 'the issuer sends browsers to a foreign address', {
          maybeSent: true,
        });
      return outside + address.pathname + address.search;
    },
  };
}

/**
 * Returns whether the provider lets people make accounts (Initiating User Registration via OpenID Connect 1.0 §4). The
 * studio decides it by STUDIO_SIGN_UP (`studio/src/config.ts`).
 */
export function offersSignUp(configuration: Configuration): boolean {
  const prompts: unknown = configuration.serverMetadata()['prompt_values_supported'];
  return Array.isArray(prompts) && prompts.includes('create');
}

/**
 * Returns the address where a browser signs out of the studio too (OpenID Connect RP-Initiated Logout 1.0 §2). Returns
 * null when the studio has no such page, or cannot be asked.
 */
export async function signOutAddress(
  providers: Providers,
  { publicUrl, log }: { publicUrl: string; log: Logger },
): Promise<string | null> {
  try {
    const { configuration } = await providers.get();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    const { buildEndSessionUrl } = await import('openid-client');
    const back = { post_logout_redirect_uri: publicUrl + consoleAddresses.signedOut };
    return providers.forBrowsers(buildEndSessionUrl(configuration, back));
  } catch (error) {
    log.warn({ reason: await describe(error) }, 'the studio could not be asked where to sign out');
    return null;
  }
}
