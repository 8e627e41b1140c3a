import assert from 'node:assert/strict';
import { type ProblemCode, problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { type Answer, docsUrl } from './harness.ts';
import { validatorOf } from './validators.ts';

const isProblem = validatorOf(Problem);

/** Asserts that an answer is a valid problem. `code` undefined: any code is allowed. */
export function assertProblem(answer: Answer, code: ProblemCode | undefined, what: string): void {
  assert.ok(isProblem(answer.body), `${what}: ${answer.text} ${JSON.stringify(isProblem.errors)}`);
  const problem = answer.body as Problem;
  if (code !== undefined) assert.equal(problem.code, code, `${what}: ${answer.text}`);
  const { status, title } = problemCodes[problem.code];
  assert.equal(answer.status, status, what);
  assert.deepEqual([problem.status, problem.title], [status, title], what);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json', what);
  assert.equal(problem.type, `${docsUrl}/errors#${problem.code}`, what);
  assert.match(problem.request_id, /^req_[0-9a-z]{26}$/, what);
  assert.equal(answer.headers.get('x-request-id'), problem.request_id, what);
  assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null, what);
  if (problem.errors !== undefined && problem.code === 'invalid_request')
    for (const { field, message } of problem.errors)
      assert.ok(problem.detail.includes(`${field}: ${message}`), `${what}: ${answer.text}`);
}
