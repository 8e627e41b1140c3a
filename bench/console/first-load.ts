import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** Matches a static import of a module. A dynamic import has another form. */
const imported = /\b(?:import|from)\s*["'](\.\/[\w.-]+\.js)["']/g;
const overviewScript = /["'`](\.\/(?:[\w.-]+\/)*OverviewPage-[\w-]+\.js)["'`]/;
const scriptOfPage = /(?:src|href)="([^"]+\.js)"/g;

/** Returns the total bytes of these scripts as a server sends them to a client that accepts this encoding. */
export async function sizeOf(
  scripts: readonly string[],
  encoding: 'gzip' | 'br' | 'identity',
): Promise<number> {
  let bytes = 0;
  for (const script of scripts) bytes += (await fetchBytes(script, encoding)).length;
  return bytes;
}

/**
 * Returns the addresses of the scripts that the overview needs. Reads them from the files when there is no browser to
 * ask.
 */
export async function listScripts(page: string): Promise<string[]> {
  const html = (await fetchBytes(page, 'identity')).toString();
  const found = new Set<string>();
  const waiting = [...html.matchAll(scriptOfPage)].map(([, name = '']) => new URL(name, page).href);
  for (let script = waiting.pop(); script !== undefined; script = waiting.pop()) {
    if (found.has(script)) continue;
    found.add(script);
    const text = (await fetchBytes(script, 'identity')).toString();
    const overview = overviewScript.exec(text)?.[1];
    const names = [...text.matchAll(imported)].map(([, name = '']) => name);
    if (overview !== undefined) names.push(overview);
    waiting.push(...names.map((name) => new URL(name, script).href));
  }
  return [...found];
}

/** Returns the bytes as sent over the wire: `fetch` would decode them. */
async function fetchBytes(url: string, encoding: string): Promise<Buffer> {
  const [answer] = (await once(get(url, { headers: { 'accept-encoding': encoding } }), 'response')) as [
    IncomingMessage,
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  if (answer.statusCode !== 200) throw new Error(`${url} was answered ${answer.statusCode}`);
  return Buffer.concat(chunks);
}
