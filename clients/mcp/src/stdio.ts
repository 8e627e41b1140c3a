import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { randomBytes } from 'node:crypto';
import Renderkit from 'renderkit';
import { fromPath } from 'renderkit/node';
import { ConfirmationTokens } from './confirmation-tokens.ts';
import { LocalPurchases } from './local-purchases.ts';
import { createMcpServer } from './server.ts';
import { version } from './version.ts';

/**
 * Address of the service and the key. A value that is left out is read from RENDERKIT_BASE_URL or RENDERKIT_API_KEY.
 */
export type StdioOptions = { baseUrl?: string | undefined; apiKey?: string | undefined };

/**
 * Serves the tools over stdin and stdout of this process until stdin ends. Files of this machine can be imported by
 * path.
 *
 * @throws TypeError when there is no address or no key
 */
export function serveMcpOverStdio(options: StdioOptions = {}): void {
  const client = new Renderkit({
    ...options,
    appInfo: { name: 'renderkit-mcp', version },
    // A caller waits for at most a minute, and can repeat a call.
    maxRetries: 0,
  });
  const connection = {
    client,
    purchases: new LocalPurchases(),
    // The secret is not shared: another process asks the person again.
    confirmationTokens: new ConfirmationTokens(randomBytes(32)),
    openFile: fromPath,
    signal: undefined,
  };
  serveStdio(() => createMcpServer(connection));
}
