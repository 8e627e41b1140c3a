import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A script of a module that a module imports whatever happens; what it may import later is another form. */
const imported = /\b(?:import|from)\s*["'](\.\/[\w.-]+\.js)["']/g;
const overviewScript = /["'`](\.\/(?:[\w.-]+\/)*OverviewPage-[\w-]+\.js)["'`]/;
const scriptOfPage = /(?:src|href)="([^"]+\.js)"/g;

/** Bytes of these scripts as a server sends them to a client that takes this encoding, in all. */
export async function sizeOf(
  scripts: readonly string[],
  encoding: 'gzip' | 'br' | 'identity',
): Promise<number> {
  let bytes = 0;
  for (const script of scripts) bytes += (await fetchBytes(script, encoding)).length;
  return bytes;
}

/** Addresses of the scripts that the overview needs, read out of the files, where no browser tells what it asks for. */
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

/** As they come over the wire: `fetch` would decode them. */
async function fetchBytes(url: string, encoding: string): Promise<Buffer> {
  const [answer] = (await once(get(url, { headers: { 'accept-encoding': encoding } }), 'response')) as [
    IncomingMessage,
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  if (answer.statusCode !== 200) throw new Error(`${url} was answered ${answer.statusCode}`);
  return Buffer.concat(chunks);
}
