/** A broken rule: the file that breaks it, and a sentence that goes on after the file's name. */
export type Issue = { path: string; message: string };
