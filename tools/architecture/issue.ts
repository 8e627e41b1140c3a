/** A broken rule: the file that breaks it, and a message that continues the sentence after the file's name. */
export type Issue = { path: string; message: string };
