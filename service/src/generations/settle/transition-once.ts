import type { Move, Moved } from './transition-store.ts';

/**
 * Makes transitions that were gathered into one batch, each generation at most once in a statement: a statement could
 * not tell which of two callers it obeyed. Returns one result per move, in order: undefined where the move was not
 * made, an error where a later statement failed. `make` makes moves of distinct generations and returns those that
 * were made. @throws what the first statement throws: nothing was made then
 */
export async function moveOnce(
  moves: readonly Move[],
  make: (distinct: readonly Move[]) => Promise<readonly Moved[]>,
): Promise<(Moved | Error | undefined)[]> {
  const results = new Map<Move, Moved | Error>();
  for (let waiting = moves; waiting.length > 0;) {
    const first = new Map<string, Move>();
    for (const move of waiting) if (!first.has(move.id)) first.set(move.id, move);
    let made: Map<string, Moved>;
    try {
      made = new Map((await make([...first.values()])).map((moved) => [moved.id, moved]));
    } catch (error) {
      // What earlier statements made stays made, and must not be tried again.
      if (waiting === moves) throw error;
      for (const move of waiting)
        results.set(move, error instanceof Error ? error : new Error(String(error)));
      break;
    }
    for (const [id, move] of first) {
      const moved = made.get(id);
      if (moved !== undefined) results.set(move, moved);
    }
    waiting = waiting.filter((move) => {
      const before = first.get(move.id) as Move;
      return move !== before && !sharesFate(move, before, made.has(move.id));
    });
  }
  return moves.map((move) => results.get(move));
}

/** No status comes twice: what was moved, or had the same conditions as a move that failed, need not be tried. */
function sharesFate(move: Move, before: Move, wasMade: boolean): boolean {
  if (move.from !== before.from) return false;
  return wasMade || (move.attempt === before.attempt && move.untouched === before.untouched);
}
