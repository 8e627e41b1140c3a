import assert from 'node:assert/strict';
import { freshSignInHeader } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import type { StudioOperation } from '@renderkit/contract/studio/operation.ts';
import {
  type StudioAnswer,
  type StudioOperationId,
  studioOperations,
} from '@renderkit/contract/studio/operations.ts';
import { setAccount } from '@renderkit/studio/operator.ts';
import { Compile } from 'typebox/compile';
import type { TestStudio } from './harness.ts';

type Asked = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  file?: string | Uint8Array;
  fresh?: boolean;
};

/** Calls the operations of administration as an administrator with a fresh sign-in. */
export class Administration {
  readonly #url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.token = token;
  }

  async ask(id: StudioOperationId, { params = {}, query, body, file, fresh = true }: Asked) {
    const { method, path }: StudioOperation = studioOperations[id];
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const address = query === undefined ? filled : `${filled}?${new URLSearchParams(query).toString()}`;
    const response = await fetch(this.#url + address, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        [freshSignInHeader]: String(fresh),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(file !== undefined && { 'content-type': 'application/octet-stream' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file !== undefined && { body: file as string }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Checks a successful answer against its schema. */
  async call<Id extends StudioOperationId>(id: Id, asked: Asked): Promise<StudioAnswer<Id>> {
    const { status, body } = await this.ask(id, asked);
    assert.equal(status, 200, `${id}: ${JSON.stringify(body)}`);
    const check = Compile((studioOperations[id] as StudioOperation).answer);
    assert.ok(check.Check(body), `${id}: ${JSON.stringify([...check.Errors(body)].slice(0, 3))}`);
    return body as StudioAnswer<Id>;
  }

  async refused(id: StudioOperationId, asked: Asked, status: number, code: string): Promise<void> {
    const answer = await this.ask(id, asked);
    assert.deepEqual([answer.status, (answer.body as { code: string }).code], [status, code]);
  }
}

export async function connectAdministration(studio: TestStudio): Promise<Administration> {
  const { email, accessToken } = await studio.connect();
  await setAccount(studio.database, email, { administrator: true });
  return new Administration(studio.url, accessToken);
}
