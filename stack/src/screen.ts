import { styleText } from 'node:util';

export type DemoAccount = { email: string; password: string; key: string };

export type Screen = {
  line: (text?: string) => void;
  heading: (text: string) => void;
  problem: (text: string) => void;
};

/** Creates a screen for people; uses colours only on a terminal that supports them. */
export function createScreen(stream: NodeJS.WriteStream): Screen {
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream, validateStream: true });
  return {
    line: (text = '') => void stream.write(`${text}\n`),
    heading: (text) => void stream.write(`${style('bold', text)}\n`),
    problem: (text) => void stream.write(`${style('yellow', text)}\n`),
  };
}

/** The public addresses of service, studio and console. */
export type Addresses = { service: string; studio: string; console: string };

/**
 * Shows what runs and where, before the parts are ready. Shows the addresses that a user types, which may be those of a
 * proxy.
 */
export function showOverview(
  screen: Screen,
  facts: { addresses: Addresses; dataDirectory: string; logs: string; database: string },
): void {
  screen.line();
  screen.heading('  Renderkit');
  screen.line();
  screen.line(`  Console      ${facts.addresses.console}`);
  screen.line(`  API          ${facts.addresses.service}/v1`);
  screen.line(`  API contract ${facts.addresses.service}/openapi.json`);
  screen.line(`  Studio       ${facts.addresses.studio}`);
  screen.line(`  Database     ${facts.database}`);
  screen.line(`  Data         ${facts.dataDirectory}`);
  screen.line(`  Logs         ${facts.logs}`);
}

/** Shows the demo account's secrets; they can be read only this once. */
export function showDemo(screen: Screen, demo: DemoAccount, addresses: Addresses): void {
  screen.line();
  screen.heading('  A demo account was made for you');
  screen.line();
  screen.line(`  Sign in at ${addresses.console} with it:`);
  screen.line();
  screen.line(`  E-mail       ${demo.email}`);
  screen.line(`  Password     ${demo.password}`);
  screen.line(`  API key (shown once): ${demo.key}`);
  screen.line();
  screen.heading('  Your first picture: paste this into a shell once the stack is ready');
  screen.line();
  screen.line(firstPicture(addresses.service, demo.key));
}

/** Shows what to do when there is no account yet and the start creates none. */
export function showFirstAccount(screen: Screen, addresses: Addresses): void {
  screen.line();
  screen.heading(
    '  Nobody has an account yet. Make one, in another terminal, with the environment of this one:',
  );
  screen.line();
  screen.line('  npm run operator -- account create --email you@example.com');
  screen.line();
  screen.line(
    `  It prints a password, once, to sign in with at ${addresses.console}; API keys are made there.`,
  );
}

/** Returns lines for sh that make a picture, wait for it and save it, with only curl, grep and sed. */
export function firstPicture(serviceAddress: string, key: string): string {
  return `KEY=${key}
API=${serviceAddress}/v1
ID=$(curl -sS "$API/images/generations" -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" -H "Idempotency-Key: first-picture" \\
  -d '{"prompt": "a mountain above a calm lake at sunset"}' |
  grep -o '"id":"gen_[^"]*"' | head -n 1 | sed 's/.*:"//; s/"$//')
URL=$(curl -sS "$API/generations/$ID?wait=60" -H "Authorization: Bearer $KEY" |
  grep -o '"url":"[^"]*"' | head -n 1 | sed 's/"url":"//; s/"$//')
curl -sS -o picture.png "$URL" && echo "Saved picture.png"`;
}
