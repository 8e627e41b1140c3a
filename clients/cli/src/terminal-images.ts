import type { Environment } from './config.ts';

export const previewKinds = ['auto', 'kitty', 'iterm', 'sixel', 'none'] as const;
export type PreviewKind = (typeof previewKinds)[number];

/**
 * The terminal's protocol for pictures. `none` when the terminal cannot show pictures, or a program in between would
 * garble them.
 */
export type ImageProtocol = 'kitty' | 'iterm' | 'none';

export function imageProtocol(
  { terminal }: Pick<Environment, 'terminal'>,
  wanted: PreviewKind,
  isTerminal: boolean,
): ImageProtocol {
  if (wanted === 'kitty' || wanted === 'iterm') return wanted;
  // Sixel needs raw pixels, and this program does not decode pictures.
  if (wanted !== 'auto' || !isTerminal) return 'none';
  if (terminal.TMUX !== undefined || terminal.STY !== undefined) return 'none';
  if (terminal.KITTY_WINDOW_ID !== undefined || /^xterm-(kitty|ghostty)$/.test(terminal.TERM ?? ''))
    return 'kitty';
  return ['iTerm.app', 'WezTerm'].includes(terminal.TERM_PROGRAM ?? '') ? 'iterm' : 'none';
}

const kittyChunk = 4096;
/** Height of a picture, in terminal lines. */
export const imageRows = 16;

/**
 * Returns the escape sequence that makes a terminal draw a picture. `undefined` when the protocol does not support the
 * picture's format: kitty accepts only PNG, iTerm accepts what it can decode.
 */
export function imageText(protocol: ImageProtocol, picture: Uint8Array): string | undefined {
  if (protocol === 'none') return undefined;
  const data = Buffer.from(picture);
  const text = data.toString('base64');
  if (protocol === 'iterm')
    return `\u001b]1337;File=inline=1;size=${data.length};height=${imageRows};preserveAspectRatio=1:${text}\u0007\n`;
  if (!data.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return undefined;
  let written = '';
  for (let at = 0; at < text.length; at += kittyChunk) {
    const more = at + kittyChunk < text.length ? 1 : 0;
    const control = at === 0 ? `a=T,f=100,r=${imageRows},q=2,m=${more}` : `m=${more}`;
    written += `\u001b_G${control};${text.slice(at, at + kittyChunk)}\u001b\\`;
  }
  return `${written}\n`;
}
