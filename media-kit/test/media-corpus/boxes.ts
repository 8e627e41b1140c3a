/** Makes a box of an MP4 or MOV: length, type, content. */
export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

export type BoxPosition = { start: number; dataAt: number; end: number };

/** Returns the position of the box at the path `way`, the first one of each name. */
export function findBox(bytes: Buffer, way: string): BoxPosition {
  let position: BoxPosition = { start: 0, dataAt: 0, end: bytes.length };
  for (const type of way.split('/')) {
    const found = childrenOf(bytes, position).find((child) => typeOf(bytes, child) === type);
    if (found === undefined) throw new Error(`there is no ${type} on the way ${way}`);
    position = found;
  }
  return position;
}

export function typeOf(bytes: Buffer, { start }: BoxPosition): string {
  return bytes.toString('latin1', start + 4, start + 8);
}

function childrenOf(bytes: Buffer, { dataAt, end }: BoxPosition): BoxPosition[] {
  const children: BoxPosition[] = [];
  for (let start = dataAt; start + 8 <= end;) {
    const size = bytes.readUInt32BE(start);
    children.push({ start, dataAt: start + 8, end: start + size });
    start += Math.max(size, 8);
  }
  return children;
}

/** Returns a copy in which `change` has overwritten the content of the box at `way`. */
export function overwrite(bytes: Buffer, way: string, change: (content: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  const { dataAt, end } = findBox(copy, way);
  change(copy.subarray(dataAt, end));
  return copy;
}

/** Returns a copy with another box in place of the one at `way`; the boxes around it grow or shrink. */
export function replaceBox(bytes: Buffer, way: string, replacement: Buffer): Buffer {
  const { start, end } = findBox(bytes, way);
  const copy = Buffer.concat([bytes.subarray(0, start), replacement, bytes.subarray(end)]);
  const names = way.split('/');
  for (let depth = 1; depth < names.length; depth++) {
    const around = findBox(bytes, names.slice(0, depth).join('/'));
    copy.writeUInt32BE(around.end - around.start + replacement.length - (end - start), around.start);
  }
  return copy;
}
