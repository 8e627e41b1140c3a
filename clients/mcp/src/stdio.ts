import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { randomBytes } from 'node:crypto';
import Renderkit from 'renderkit';
import { fromPath } from 'renderkit/node';
import { ConfirmationTokens } from './confirmation-tokens.ts';
import { LocalPurchases } from './local-purchases.ts';
import { createMcpServer } from './server.ts';
import { version } from './version.ts';

/** Where the service is and the key to it; what is left out is read from RENDERKIT_BASE_URL and RENDERKIT_API_KEY. */
export type StdioOptions = { baseUrl?: string | undefined; apiKey?: string | undefined };

/**
 * Serves the tools over this process's stdin and stdout, until stdin ends. Files of this machine can be imported by path.
 *
 * @throws TypeError where there is no address or no key
 */
export function serveMcpOverStdio(options: StdioOptions = {}): void {
  const client = new Renderkit({
    ...options,
    appInfo: { name: 'renderkit-mcp', version },
    // A caller waits for a minute at most, and can repeat a call.
    maxRetries: 0,
  });
  const connection = {
    client,
    purchases: new LocalPurchases(),
    // Nobody else has to know them: another process asks again.
    confirmationTokens: new ConfirmationTokens(randomBytes(32)),
    openFile: fromPath,
    signal: undefined,
  };
  serveStdio(() => createMcpServer(connection));
}
