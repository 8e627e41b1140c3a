// Makes the stacks of a compiled program name lines of its sources. Node's built-in way reads each file's map when the
// file is loaded, which slows down every start. Here, a map is read when the first stack needs it.

const { readFileSync } = process.getBuiltinModule('node:fs');
const { SourceMap } = process.getBuiltinModule('node:module');
const { dirname, resolve } = process.getBuiltinModule('node:path');
const { fileURLToPath } = process.getBuiltinModule('node:url');

/** The maps by the file's URL, each with the file's folder; `undefined` for a file without a map. */
const maps = new Map();

Error.prepareStackTrace = (error, frames) =>
  [headOf(error), ...frames.map((frame) => `\n    at ${describe(frame)}`)].join('');

/**
 * Returns the first line of the stack, as V8 does. A value that cannot be converted to a string must not throw here.
 */
function headOf(error) {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

function describe(frame) {
  const text = String(frame);
  try {
    const url = frame.getFileName();
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    if (!url?.startsWith('file:') || line === null || column === null) return text;
    const known = mapOf(url);
    const origin = known?.map.findOrigin(line, column);
    if (origin?.fileName === undefined) return text;
    const source = resolve(known.folder, origin.fileName);
    return text.replace(
      `${url}:${line}:${column}`,
      () => `${source}:${origin.lineNumber}:${origin.columnNumber}`,
    );
  } catch {
    return text;
  }
}

function mapOf(url) {
  if (!maps.has(url)) maps.set(url, readMap(url));
  return maps.get(url);
}

function readMap(url) {
  try {
    const file = fileURLToPath(url);
    return { map: new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))), folder: dirname(file) };
  } catch {
    return undefined;
  }
}
