import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Interaction } from 'oidc-provider';

/**
 * Ends the browser's session of another account before somebody signs in. The provider would do it too, by way of a
 * page that sends itself by script. What the other account granted goes on.
 */
export async function leaveOtherSession(
  provider: Provider,
  interaction: Interaction,
  browser: readonly [IncomingMessage, ServerResponse],
  accountId: string,
): Promise<void> {
  const session = await provider.Session.get(provider.createContext(...browser));
  if (session.accountId === undefined || session.accountId === accountId) return;
  // The request was bound to the session that ends.
  delete interaction.session;
  await interaction.persist();
  await session.destroy();
}
