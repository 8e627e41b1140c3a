let isFree = false;

/** Allows leaving the page without a question: for a sign-out, an ended session, or another account. */
export function leaveFreely(): void {
  isFree = true;
}

/** Returns whether the person may leave without a question. */
export const leavesFreely = () => isFree;
