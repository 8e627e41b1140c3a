import type Provider from 'oidc-provider';
import type { Interaction } from 'oidc-provider';
import { type Browser, sessionOf } from '../provider/sessions.ts';

/**
 * Ends the browser's session of another account before somebody signs in. The provider would do it too, by way of a
 * page that sends itself by script. What the other account granted goes on.
 */
export async function leaveOtherSession(
  provider: Provider,
  interaction: Interaction,
  browser: Browser,
  accountId: string,
): Promise<void> {
  const session = await sessionOf(provider, browser);
  if (session.accountId === accountId) return;
  // The request may be bound to a session that ends now, or that a new password has ended meanwhile.
  if (interaction.session !== undefined) {
    delete interaction.session;
    await interaction.persist();
  }
  if (session.accountId !== undefined) await session.destroy();
}
