import type Provider from 'oidc-provider';
import type { Interaction } from 'oidc-provider';
import { type Browser, sessionOf } from '../provider/sessions.ts';

/**
 * Ends the browser's session of another account before a person signs in. The provider would do this through a page
 * that submits itself by script. The other account's grants stay valid.
 */
export async function leaveOtherSession(
  provider: Provider,
  interaction: Interaction,
  browser: Browser,
  accountId: string,
): Promise<void> {
  const session = await sessionOf(provider, browser);
  if (session.accountId === accountId) return;
  // The request may be bound to a session that ends now, or that a new password has ended already.
  if (interaction.session !== undefined) {
    delete interaction.session;
    await interaction.persist();
  }
  if (session.accountId !== undefined) await session.destroy();
}
