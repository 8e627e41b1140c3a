import type { ByteReader } from './byte-reader.ts';

/**
 * A box of ISO/IEC 14496-12. `start` is where its content begins, `end` is where the box ends, in bytes from the file's
 * start.
 */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Limit for one list. */
const maxBoxes = 20_000;

/** Reads the boxes of one level between two places. A box that reaches beyond its list ends the list. */
export async function readBoxes(file: ByteReader, area: { start: number; end: number }): Promise<Box[]> {
  const boxes: Box[] = [];
  const areaEnd = Math.min(area.end, file.sizeBytes);
  let position = area.start;
  while (position + 8 <= areaEnd && boxes.length < maxBoxes) {
    const head = await file.read(position, 16);
    const type = head.toString('latin1', 4, 8);
    let size = head.readUInt32BE(0);
    let headBytes = 8;
    if (size === 1 && head.length === 16) {
      size = Number(head.readBigUInt64BE(8));
      headBytes = 16;
    } else if (size === 0) {
      size = areaEnd - position;
    }
    const end = position + size;
    if (size < headBytes || end > areaEnd) break;
    boxes.push({ type, start: position + headBytes, end });
    position = end;
  }
  return boxes;
}
