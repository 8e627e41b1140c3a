/** The parsed headers of a form part. */
export type PartHead = {
  name: string;
  fileName: string | undefined;
  /** True when the part has a file name, or its type is `application/octet-stream`. */
  isFile: boolean;
};

const maxHeaders = 20;
const headerShape = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/;
const parameterShape = /;[ \t]*([a-z]+\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*/iy;
/** Encodings that do not change the bytes (RFC 7578 §4.7). */
const plainEncodings = /^(?:7bit|8bit|binary)$/i;

/**
 * Reads the headers of a part. Returns `undefined` when they violate RFC 7578. Does not guess, and does not choose
 * between two values.
 */
export function readPartHead(bytes: Buffer): PartHead | undefined {
  const headers = readHeaders(bytes.toString('utf8'));
  const disposition = headers?.get('content-disposition');
  const parameters = disposition === undefined ? undefined : readDisposition(disposition);
  const name = parameters?.get('name');
  if (headers === undefined || parameters === undefined || name === undefined) return undefined;
  if (!plainEncodings.test(headers.get('content-transfer-encoding') ?? 'binary')) return undefined;
  const extended = parameters.get('filename*');
  const fileName = extended === undefined ? parameters.get('filename') : readExtended(extended);
  if (extended !== undefined && fileName === undefined) return undefined;
  const ofNoType = /^application\/octet-stream[ \t]*(;|$)/i.test(headers.get('content-type') ?? '');
  return { name, fileName, isFile: fileName !== undefined || ofNoType };
}

function readHeaders(text: string): Map<string, string> | undefined {
  const lines = text.split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = headerShape.exec(line) ?? [];
    if (name === undefined || value === undefined || /[\r\n\0]/.test(line)) return undefined;
    if (headers.has(name.toLowerCase())) return undefined;
    headers.set(name.toLowerCase(), value.trim());
  }
  return lines.length > maxHeaders ? undefined : headers;
}

/** Reads the parameters of a value such as `form-data; name="file"; filename="lake.png"`. */
function readDisposition(value: string): Map<string, string> | undefined {
  const type = /^form-data[ \t]*/i.exec(value)?.[0];
  if (type === undefined) return undefined;
  const parameters = new Map<string, string>();
  for (let at = type.length; at < value.length;) {
    parameterShape.lastIndex = at;
    const [whole, name, quoted, plain] = parameterShape.exec(value) ?? [];
    if (whole === undefined || name === undefined || parameters.has(name.toLowerCase())) return undefined;
    // Other backslashes separate folders, because some clients send whole paths.
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '');
    at += whole.length;
  }
  return parameters;
}

/** Decodes a value such as `UTF-8''l%C3%A4ke.png` (RFC 8187). Forms should not contain it, but some do. */
function readExtended(value: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
