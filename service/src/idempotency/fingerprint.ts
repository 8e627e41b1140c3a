import { createHash, type Hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

/** Characters of a long text that are hashed in one turn of the event loop. */
const charactersAtOnce = 512 * 1024;

/**
 * SHA-256, in hexadecimal, over method, path and the canonical form of a JSON body before defaults: two requests
 * that differ only in white space, in the order of names or in the writing of a number or a text are the same.
 */
export async function fingerprint(method: string, path: string, body: object): Promise<string> {
  const hash = createHash('sha256').update(`${method}\n${path}\n`);
  const members = Object.entries(body).filter(([, member]) => member !== undefined);
  if (members.some(([, member]) => isLong(member))) await addPieces(hash, members);
  else hash.update(canonicalJson(body));
  return hash.digest('hex');
}

/** JSON with the names of each object in the order of their UTF-16 code units and no white space (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(byName)
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

type Member = [name: string, value: unknown];

function byName([a]: Member, [b]: Member): number {
  return a < b ? -1 : 1;
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > charactersAtOnce;
}

/** The same bytes as those of the canonical form, of long members a piece at a time. */
async function addPieces(hash: Hash, members: readonly Member[]): Promise<void> {
  let before = '{';
  for (const [name, member] of members.toSorted(byName)) {
    hash.update(`${before}${JSON.stringify(name)}:`);
    if (!isLong(member)) hash.update(canonicalJson(member));
    else {
      hash.update('"');
      for (let begin = 0; begin < member.length;) {
        const end = endOfPiece(member, begin);
        hash.update(JSON.stringify(member.slice(begin, end)).slice(1, -1));
        begin = end;
        await turn();
      }
      hash.update('"');
    }
    before = ',';
  }
  hash.update('}');
}

/** Not between the halves of a surrogate pair, which are written as one character. */
function endOfPiece(text: string, begin: number): number {
  const end = begin + charactersAtOnce;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
}
