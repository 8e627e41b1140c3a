// Breaks every field of every operation, of /v1 and of the console, in many ways. Each field must get one entry with
// one sentence.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConsoleOperation } from '@renderkit/contract/console/operation.ts';
import { consoleOperations } from '@renderkit/contract/console/operations.ts';
import type { Operation } from '@renderkit/contract/v1/operation.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import type { FieldError } from '../src/problems/api-problem.ts';
import { compileCheck } from '../src/validation/compile-check.ts';
import { compileQueryCheck } from '../src/validation/validate-request.ts';

type Schema = {
  properties?: Record<string, Schema>;
  allOf?: { then: Schema }[];
  examples?: unknown[];
};
const all: Record<string, Operation | ConsoleOperation> = { ...operations, ...consoleOperations };

const wrong: unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e300,
  '',
  ' ',
  'first',
  '!',
  'x'.repeat(5_000),
  [],
  [[]],
  [null, 1, ''],
  ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'x'.repeat(3_000)],
  {},
  { a: {}, b: [], c: null, d: 'x'.repeat(600) },
  Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, i])),
];

/** The validator that finds the messages of refusals; here only its result is used. */
function compileWords(schema: TSchema): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  ajvFormats.default(ajv, ['date-time']);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  return ajv.compile(schema);
}

/** Asserts that each field appears once, with a clause that continues the field's name or names what does not exist. */
function assertOneSentencePerField(errors: readonly FieldError[], what: string): void {
  const fields = errors.map(({ field }) => field);
  assert.deepEqual(fields, [...new Set(fields)], `${what}: ${JSON.stringify(errors)}`);
  for (const { field, message } of errors) {
    const told = `${what}, ${field}: ${message}`;
    assert.notEqual(field, '', told);
    assert.match(message, /^(?:must |is |there is no )[^\n]*[^.\s]$/u, told);
    // An unknown name is quoted as it was sent, so it may contain anything.
    const own = message.replace(/^(there is no \w+) (?:"(?:[^"\\]|\\.)*"|[^\s;]+)/, '$1');
    assert.doesNotMatch(own, /undefined|\[object|NaN|schema|anyOf|matched| {2}|\. /, told);
    assert.ok(message.length <= 400, told);
  }
}

function propertiesOf(schema: Schema | undefined): Record<string, Schema> {
  return schema?.properties ?? {};
}

/** Returns the fields of a body, over all branches, with an example body to break. */
function fieldsOf(body: Schema): { fields: string[]; example: Record<string, unknown> }[] {
  const example = (body.examples?.[0] ?? {}) as Record<string, unknown>;
  const own = { fields: Object.keys(body.properties ?? {}), example };
  const branches = (body.allOf ?? []).map(({ then }) => ({
    fields: Object.keys(then.properties ?? {}),
    example: (then.examples?.[0] ?? {}) as Record<string, unknown>,
  }));
  return [own, ...branches];
}

describe('one entry and one sentence for each field', () => {
  for (const [id, { request }] of Object.entries(all)) {
    const { body, query } = request;
    if (body !== undefined)
      test(`of the body of ${id}`, () => {
        const check = compileCheck(body, 'field');
        const takes = compileWords(body);
        const errorsOf = (value: unknown) => {
          const errors: FieldError[] = [];
          check(value, errors);
          assert.equal(errors.length === 0, takes(value), `${id}: ${show(value)} by verdict and by words`);
          return errors;
        };
        for (const value of wrong) assertOneSentencePerField(errorsOf(value), `${id} is ${show(value)}`);
        for (const { fields, example } of fieldsOf(body)) {
          for (const field of [...fields, 'colour', 'a.b', '', 'ü'.repeat(300)])
            for (const value of wrong)
              assertOneSentencePerField(
                errorsOf({ ...example, [field]: value }),
                `${id} with ${field} ${show(value)}`,
              );
          for (const value of wrong) {
            const broken = Object.fromEntries(fields.map((field) => [field, value]));
            assertOneSentencePerField(errorsOf(broken), `${id} with all ${show(value)}`);
          }
          const anything = fc.dictionary(fc.constantFrom(...fields, 'n', 'x'), fc.jsonValue({ maxDepth: 3 }));
          fc.assert(
            fc.property(anything, (some) => {
              assertOneSentencePerField(errorsOf({ ...example, ...some }), id);
            }),
            { numRuns: 100 },
          );
        }
      });
    test(`of the query of ${id}`, () => {
      const check = compileQueryCheck(query);
      const names = Object.keys(propertiesOf(query));
      for (const name of [...names, 'colour'])
        for (const value of ['', '0', '-1', '1.5', '1e3', 'x', '999999999', 'x'.repeat(300), 'true']) {
          const errors: FieldError[] = [];
          check(`${name}=${value}`, errors);
          assertOneSentencePerField(errors, `${id}?${name}=${value.slice(0, 20)}`);
        }
    });
  }
});

test('a name that there is not is shown as it came', () => {
  const errors: FieldError[] = [];
  const { body } = consoleOperations.previewPlans.request;
  for (const name of ['  ', 'a. b', 'NaN', '"', '\\', 'undefined'])
    compileCheck(body, 'field')({ plans: [{ [name]: null }] }, errors);
  const unknown = errors.filter(({ message }) => message.startsWith('there is no'));
  assert.equal(unknown.length, 6, JSON.stringify(errors));
  for (const error of unknown) assertOneSentencePerField([error], 'previewPlans');
});

test('what is told of a union, of an enum and of a number says what would be right', () => {
  const told = (schema: TSchema, value: unknown) => {
    const errors: FieldError[] = [];
    compileCheck(schema, 'field')(value, errors);
    return errors;
  };
  const frame = operations.createFrame.request.body;
  assert.deepEqual(told(frame, { time: 'first' }), [{ field: 'time', message: 'must be a number or last' }]);
  assert.deepEqual(told(frame, { time: -1 }), [{ field: 'time', message: 'must be at least 0, or last' }]);
  const edit = operations.createImageEdit.request.body;
  assert.deepEqual(told(edit, { image: 'x', mode: 3 }), [
    { field: 'mode', message: 'must be one of transform, inpaint' },
  ]);
  assert.deepEqual(told(edit, { image: 'x', clip_skip: 'a', options: { a: [] } }), [
    { field: 'options.a', message: 'must be a string, a number or a boolean' },
    { field: 'clip_skip', message: 'must be a whole number' },
  ]);
  assert.deepEqual(told(operations.createProject.request.body, { title: '!' }), [
    {
      field: 'title',
      message:
        'must be at least 2 characters and must hold letters from a to z, digits and white space alone',
    },
  ]);
});

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 40);
}
