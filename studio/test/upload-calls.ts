import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';

export type Answer<T> = { status: number; body: T; headers: Headers };

export type UploadCalls = {
  /** Sends a file under the token. */
  upload: (
    token: string,
    bytes: Buffer,
    query?: Record<string, string>,
  ) => Promise<Answer<StudioAnswer<'storeUpload'>>>;
  /** Waits until the upload is settled, at most 30 seconds. */
  checked: (token: string) => Promise<StudioUpload>;
};

export function uploadCalls(
  url: string,
  accessToken: string,
  call: <T>(method: string, path: string) => Promise<Answer<T>>,
): UploadCalls {
  return {
    upload: async (token, bytes, query = {}) => {
      const words = new URLSearchParams(query).toString();
      const response = await fetch(`${url}/api/uploads/${token}?${words}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(bytes),
      });
      const body = (await response.json()) as StudioAnswer<'storeUpload'>;
      return { status: response.status, body, headers: response.headers };
    },
    checked: async (token) => {
      for (let i = 0; i < 300; i++) {
        const { body } = await call<StudioUpload>('GET', `/api/uploads/${token}`);
        if (body.status !== 'processing') return body;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`${token} was not settled within 30 seconds`);
    },
  };
}
