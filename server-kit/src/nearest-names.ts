/**
 * One possible meaning of a misspelled name: the label to suggest, and the texts that clients may have tried to write.
 */
export type Candidate = { label: string; texts: readonly string[] };

/** Longer names are not compared letter by letter: none of our names is that long, so it is no misspelling. */
const maxComparedCharacters = 64;
/** More candidates than any catalog has. Further candidates are ignored. */
const maxCandidates = 2_000;
const maxShownCharacters = 60;

/**
 * Returns the candidates that a name probably meant, nearest first, at most `max`. The callers write the messages, such
 * as `service/src/validation/describe-unknown-field.ts`.
 */
export function nearestNames(name: string, candidates: readonly Candidate[], max = 3): string[] {
  const wanted = normalName(name);
  if (wanted === '' || wanted.length > maxComparedCharacters) return [];
  const near: { label: string; distance: number }[] = [];
  for (const { label, texts } of candidates.slice(0, maxCandidates)) {
    const distance = Math.min(...texts.map((text) => distanceOf(wanted, normalName(text))));
    if (distance <= tolerance(wanted)) near.push({ label, distance });
  }
  const best = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === best || distance <= 1)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ label }) => label);
}

/** Normalizes a name: `aspectRatio`, `aspect-ratio` and `aspect_ratio` become the same. */
export function normalName(name: string): string {
  return name
    .slice(0, 4 * maxComparedCharacters)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Returns a client's name as a message quotes it: shortened when it is long, in quotes unless it looks like a name. */
export function shownName(name: string): string {
  const shown =
    name.length <= maxShownCharacters ? name : `${name.slice(0, maxShownCharacters).toWellFormed()}…`;
  return /^[\p{L}\p{N}_./:-]+…?$/u.test(shown) ? shown : JSON.stringify(shown);
}

/**
 * Returns how many letters may differ: none for one letter, one for up to five, and a third for longer names, at most
 * four.
 */
function tolerance(name: string): number {
  if (name.length === 1) return 0;
  return Math.max(1, Math.min(4, Math.floor(name.length / 3)));
}

function distanceOf(wanted: string, other: string): number {
  if (wanted === other) return 0;
  if (other === '' || other.length > maxComparedCharacters) return Number.POSITIVE_INFINITY;
  const [short, long] = wanted.length < other.length ? [wanted, other] : [other, wanted];
  if (short.length >= 4 && long.startsWith(short)) return 1;
  return long.length - short.length > tolerance(wanted)
    ? Number.POSITIVE_INFINITY
    : editDistance(wanted, other);
}

/** Counts letters to insert, remove, change or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        swapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
