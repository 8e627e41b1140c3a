import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { buildEndSessionUrl } from 'openid-client';
import { describe } from './failure.ts';
import type { Providers } from './provider.ts';

/**
 * Where a browser leaves the studio too (OpenID Connect RP-Initiated Logout 1.0 §2); null where the studio has no such
 * page, or cannot be asked.
 */
export async function signOutAddress(
  providers: Providers,
  { publicUrl, log }: { publicUrl: string; log: Logger },
): Promise<string | null> {
  try {
    const { configuration } = await providers.get();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    const back = { post_logout_redirect_uri: publicUrl + consoleAddresses.signedOut };
    return providers.forBrowsers(buildEndSessionUrl(configuration, back));
  } catch (error) {
    log.warn({ reason: describe(error) }, 'the studio could not be asked where to sign out');
    return null;
  }
}
