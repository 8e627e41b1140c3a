import assert from 'node:assert/strict';
import {
  type ConsoleOperationId,
  consoleOperations,
  type ConsoleRequestOf,
  type ConsoleResponseOf,
} from '@renderkit/contract/console/operations.ts';
import type { ConsoleOperation } from '@renderkit/contract/console/operation.ts';
import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';
import { assertProblem } from './assert-problem.ts';
import { type ConsoleBrowser, openBrowser } from './console-session.ts';
import type { Answer, TestService } from './harness.ts';
import { validatorOf } from './validators.ts';

type Parts<Id extends ConsoleOperationId> = Partial<{
  [Part in keyof ConsoleRequestOf<Id>]: unknown;
}>;

/** Calls operations of the console as a signed-in person, and validates the answers against the contract. */
export type ConsoleCaller = {
  browser: ConsoleBrowser;
  /** Returns the body of a success. */
  call: <Id extends ConsoleOperationId>(id: Id, parts?: Parts<Id>) => Promise<ConsoleResponseOf<Id>>;
  refused: <Id extends ConsoleOperationId>(
    id: Id,
    parts: Parts<Id>,
    code: ProblemCode,
  ) => Promise<Answer<{ detail: string; errors?: { field: string; message: string }[] }>>;
};

/** Signs a person in, to the service's first account unless another one is given. */
export async function signedIn(service: TestService, accountId?: string): Promise<ConsoleCaller> {
  const browser = await openBrowser(service, accountId);
  const ask = (id: ConsoleOperationId, parts: { params?: unknown; query?: unknown; body?: unknown }) => {
    const operation: ConsoleOperation = consoleOperations[id];
    const params = (parts.params ?? {}) as Record<string, string>;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const query = new URLSearchParams(
      Object.entries(parts.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return browser.ask<never>(query.size === 0 ? path : `${path}?${query.toString()}`, {
      method: operation.method,
      body: parts.body,
    });
  };
  return {
    browser,
    call: async (id, parts = {}) => {
      const answer = await ask(id, parts);
      const { response } = consoleOperations[id] as ConsoleOperation;
      assert.equal(answer.status, response.status, `${id}: ${answer.text}`);
      const validate = validatorOf(response.schema);
      assert.ok(validate(answer.body), `${id}: ${JSON.stringify(validate.errors)} ${answer.text}`);
      return answer.body;
    },
    refused: async (id, parts, code) => {
      const answer = await ask(id, parts);
      assertProblem(answer, code, `${id} ${answer.text}`);
      return answer;
    },
  };
}
