import { maxMaskCharacters } from '@renderkit/contract/v1/limits.ts';

/** A JSON body of up to 16 MB, and the field that its refusal names; `undefined` when the body is valid. */
export type LargeBody = { name: string; bytes: Buffer; field: string | undefined };

const maskPrefix = 'data:image/png;base64,';
/** One pixel: code that checks the beginning of a mask finds a picture. */
const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const whole = 15_900_000;

/** Returns a mask of about `characters` characters that begins as a PNG does. */
export function maskOf(characters: number): string {
  const bytes = Buffer.alloc(Math.floor((characters - maskPrefix.length) / 4) * 3, 9);
  tinyPng.copy(bytes);
  return maskPrefix + bytes.toString('base64');
}

const edit = (members: string) =>
  `{"kind":"image_edit","image":"lib_1","mode":"inpaint","prompt":"x",${members}}`;
const repeated = (unit: string, size: number) => unit.repeat(Math.floor(size / unit.length));

/** A function that makes the text when it is needed, and the field that the refusal names. */
type Shape = [name: string, field: string | undefined, text: () => string | Buffer];

/** Returns one body of each shape that is hard work for a parser. `random` determines the sizes. */
export function largeBodies(random: () => number): LargeBody[] {
  const size = () => Math.floor(whole * (0.8 + 0.2 * random()));
  return [...masks(size), ...longValues(size), ...structures(size)].map(([name, field, text]) => ({
    name,
    field,
    get bytes() {
      return Buffer.from(text());
    },
  }));
}

function masks(size: () => number): Shape[] {
  const maskBegin = `${maskPrefix}${tinyPng.toString('base64').slice(0, 80)}`;
  return [
    ['the largest mask', undefined, () => edit(`"mask":"${maskOf(maxMaskCharacters)}"`)],
    [
      'a mask with escaped slashes',
      undefined,
      () => edit(`"mask":"${maskBegin}${repeated('\\/\\/\\/AA/AA', 10_000_000)}"`),
    ],
    [
      'a mask all of \\u escapes',
      undefined,
      () => edit(`"mask":"${maskBegin}${repeated('\\u0041\\u0041\\u002b\\u0041', 14_400_000)}"`),
    ],
    [
      'a mask and white space',
      undefined,
      () => edit(`"mask":"${maskOf(8_000_000)}"${repeated(' \n\t\r', 7_000_000)}`),
    ],
    ['a mask of words', 'mask', () => edit(`"mask":"${repeated('word ', 14_999_000)}"`)],
    ['a mask that names an upload', 'mask', () => edit(`"mask":"upl_${repeated('x', 14_000_000)}"`)],
    ['a mask that is too long', 'mask', () => edit(`"mask":"${repeated('A', maxMaskCharacters + 10)}"`)],
    ['a mask of two-byte characters', 'mask', () => edit(`"mask":"${repeated('é', 7_500_000)}"`)],
    ['a mask of emoji', 'mask', () => edit(`"mask":"${repeated('😀', 3_900_000)}"`)],
    ['a mask of U+0000', 'mask', () => edit(`"mask":"${repeated('\\u0000', size())}"`)],
    ['a mask of lone surrogates', 'mask', () => edit(`"mask":"${repeated('\\udc00', size())}"`)],
    [
      'two masks',
      undefined,
      () => edit(`"mask":"${repeated('A', 7_000_000)}","mask":"${maskOf(8_000_000)}"`),
    ],
    [
      'a mask where none belongs',
      'mask',
      () => `{"kind":"image_edit","image":"lib_1","prompt":"x","mask":"${repeated('A', 14_000_000)}"}`,
    ],
    ['control characters in a mask', 'body', () => edit(`"mask":"${maskBegin}${repeated('A\n', size())}"`)],
  ];
}

function longValues(size: () => number): Shape[] {
  return [
    ['a number', 'cfg', () => edit(`"cfg":${repeated('7', size())}`)],
    ['a number with a fraction', 'strength', () => edit(`"strength":0.${repeated('5', size())}`)],
    [
      'a number with an exponent',
      'options.steps',
      () => edit(`"options":{"steps":1e${repeated('9', size())}}`),
    ],
    ['a number of an unknown name', 'colour', () => edit(`"colour":-${repeated('1', size())}`)],
    ['a prompt', 'prompt', () => edit(`"prompt":"${repeated('x', size())}"`)],
    ['a prompt of escapes', 'prompt', () => edit(`"prompt":"${repeated('\\ud83d\\ude00', size())}"`)],
    ['a text of an unknown name', 'colour', () => edit(`"colour":"${repeated('x', size())}"`)],
    ['a text of an option', 'options.steps', () => edit(`"options":{"steps":"${repeated('x', size())}"}`)],
    ['a text in a list', 'styles[1]', () => edit(`"styles":["a","${repeated('x', size())}"]`)],
    ['a text alone', 'body', () => `"${repeated('x', size())}"`],
    ['a name', 'body', () => `{"${repeated('x', size())}":1}`],
  ];
}

function structures(size: () => number): Shape[] {
  return [
    ['many names', 'body', () => `{${Array.from({ length: 1_200_000 }, (_, i) => `"n${i}":1`).join()}}`],
    ['one name many times', 'body', () => `{${repeated('"prompt":"x",', size())}"prompt":"x"}`],
    ['arrays in arrays', 'body', () => repeated('[', size())],
    ['objects in objects', 'body', () => repeated('{"a":', size())],
    ['empty objects', 'body', () => `[${repeated('{},', size())}{}]`],
    ['empty objects without commas', 'body', () => repeated('{}', size())],
    ['empty texts', 'body', () => repeated('""', size())],
    ['quotes and backslashes', 'body', () => repeated('"\\"" ', size())],
    ['nulls', 'body', () => `[${repeated('null,', size())}null]`],
    ['one long word', 'body', () => repeated('n', size())],
    ['white space', 'body', () => repeated(' \n', size())],
    ['white space between numbers', 'body', () => `[${repeated('1 ', size())}]`],
    ['bytes that are no UTF-8', 'body', () => Buffer.alloc(size(), 0xff)],
    [
      'UTF-8 that breaks off',
      'body',
      () => Buffer.concat([Buffer.from(edit('"prompt":"x"')), Buffer.from([0xe2, 0x82])]),
    ],
    ['byte order marks', 'body', () => repeated('\u{feff}', size() / 3)],
  ];
}
