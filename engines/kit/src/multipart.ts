import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** A part of a form (RFC 7578): a text, or a file on this machine. */
export type MultipartPart = { readonly name: string } & (
  | { readonly value: string }
  | {
      readonly path: string;
      readonly sizeBytes: number;
      readonly fileName: string;
      readonly contentType: string;
    }
);

/** Returns a form as a body of known length. Files are read while they are sent. */
export function multipartBody(parts: readonly MultipartPart[]): {
  body: AsyncIterable<Buffer>;
  headers: Record<string, string>;
} {
  const boundary = `renderkit-${randomBytes(18).toString('hex')}`;
  const heads = parts.map((part) => Buffer.from(headOf(part, boundary)));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, part, index) => sum + (heads[index]?.length ?? 0) + sizeOf(part) + 2,
    end.length,
  );
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(length),
    },
    body: bodyOf(),
  };

  async function* bodyOf(): AsyncGenerator<Buffer> {
    for (const [index, part] of parts.entries()) {
      yield heads[index] ?? end;
      if ('value' in part) yield Buffer.from(part.value);
      else yield* createReadStream(part.path) as AsyncIterable<Buffer>;
      yield Buffer.from('\r\n');
    }
    yield end;
  }
}

function sizeOf(part: MultipartPart): number {
  return 'value' in part ? Buffer.byteLength(part.value) : part.sizeBytes;
}

function headOf(part: MultipartPart, boundary: string): string {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(part.name)}"`;
  if ('value' in part) return `${head}\r\n\r\n`;
  return `${head}; filename="${escaped(part.fileName)}"\r\nContent-Type: ${part.contentType}\r\n\r\n`;
}

/** Escapes names as browsers do: HTML's section on multipart/form-data. */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
