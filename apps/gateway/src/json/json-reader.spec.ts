import { jest } from '@jest/globals';
import fc from 'fast-check';
import { ExactReader } from './exact-numbers.ts';
import { outlineOf, STEP_BYTES } from './json-outline.ts';
import { readJson } from './json-reader.ts';

const UNLIMITED = { members: Infinity, names: Infinity, values: Infinity, entryValues: Infinity };

function read(text: string): { readonly value: unknown; readonly largest: number } {
  const reader = new ExactReader();
  const steps = readJson(Buffer.from(text), reader, 64);
  const parse = jest.spyOn(JSON, 'parse');
  let largest = 0;
  try {
    for (;;) {
      parse.mockClear();
      const step = steps.next();
      largest = Math.max(
        largest,
        parse.mock.calls.reduce((sum, [json]) => sum + json.length, 0),
      );
      if (step.done !== true) continue;
      for (const _ of reader.restore(step.value));
      return { value: step.value, largest };
    }
  } finally {
    parse.mockRestore();
  }
}

const outlined = (text: string, form: 'wrapped' | 'bare' | 'either' = 'bare', limits = UNLIMITED) => {
  const steps = outlineOf(Buffer.from(text), limits, form, 64);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

const long = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 5 }), fc.nat(40_000))
  .map(([text, count]) => text.repeat(count));
const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue({ maxDepth: 1 }),
    long,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 6 }),
    fc.nat(5_000).map((length) => Array.from({ length }, (_, i) => ({ [`k${i}`]: 'x"' }))),
  ),
})).value;

describe('JSON that is read in steps', () => {
  it('has the value that JSON.parse returns', () => {
    fc.assert(
      fc.property(document, fc.constantFrom('', ' ', '\t\n'), (value, space) => {
        const text = JSON.stringify({ value, again: [value, value] }, undefined, space);
        const { value: got, largest } = read(text);
        expect(JSON.stringify(got)).toBe(JSON.stringify(JSON.parse(text)));
        expect(largest).toBeLessThan(4 * STEP_BYTES);
      }),
      { numRuns: 60 },
    );
  });

  it('is refused if JSON.parse refuses it', () => {
    const filler = `"${'x'.repeat(STEP_BYTES)}"`;
    const alphabet = ['[', ']', '{', '}', ',', ':', '1', 'null', '"a"', ' ', filler];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expected = undefined;
        }
        const isContainer = typeof expected === 'object' && expected !== null;
        if (isContainer) expect(read(text).value).toEqual(expected);
        else expect(() => read(text)).toThrow(SyntaxError);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['members', `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":0`).join(',')}}`],
    ['entries', `{"a":[${'[],'.repeat(400_000)}0]}`],
    ['a text of escapes', `{"a":"${'\\u0041'.repeat(1_000_000)}"}`],
    ['a text of two bytes', `{"a":"${'é'.repeat(2_000_000)}"}`],
    ['nested lists', `{"a":[[[[${'1,'.repeat(500_000)}1]]]]}`],
    ['nested texts', `{"a":${'[{"b":'.repeat(20)}"${'x'.repeat(500_000)}"${'}]'.repeat(20)}}`],
    ['lists beside lists', `{"a":[${`[${'1,'.repeat(16_000)}1],`.repeat(50)}0]}`],
  ])('blocks the process for a step of bounded size: %s', (_, text) => {
    const { value, largest } = read(text);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(largest).toBeLessThan(4 * STEP_BYTES);
  });

  it('may be nested 64 deep', () => {
    const nested = (depth: number) =>
      `{"a":${'['.repeat(depth - 1)}"${'x'.repeat(STEP_BYTES)}"${']'.repeat(depth - 1)}}`;
    expect(read(nested(64)).value).toEqual(JSON.parse(nested(64)));
    expect(() => read(nested(65))).toThrow(SyntaxError);
  });
});

describe('the outline of JSON', () => {
  it.each([
    ['{"auth":"a","x":1}', 'bare', 'a'],
    ['{"x":[{"auth":"b"}],"auth" : "\\u0061"}', 'bare', 'a'],
    ['{"auth":"a","auth":"b"}', 'bare', 'b'],
    ['{"auth":1}', 'bare', undefined],
    ['{"auth":{"x":"a"}}', 'bare', undefined],
    ['{"x":"auth","y":"a"}', 'bare', undefined],
    ['{"auth":"a","request":{"auth":"b"}}', 'wrapped', 'b'],
    ['{"other":{"auth":"b"}}', 'wrapped', undefined],
    ['{"auth":"a"}', 'either', 'a'],
  ] as const)('has the token in %s, %s: %s', (text, form, auth) => expect(outlined(text, form).auth).toBe(auth));

  it('counts members, names and values', () => {
    const text = '{"a":[1,2,{"a":"b:,"}],"b":{}}';
    const fits = (limits: Partial<typeof UNLIMITED>) =>
      outlined(text, 'bare', { ...UNLIMITED, ...limits }).isWithinLimits;
    expect([fits({ members: 3 }), fits({ members: 2 })]).toEqual([true, false]);
    expect([fits({ names: 2 }), fits({ names: 1 })]).toEqual([true, false]);
    expect([fits({ values: 7 }), fits({ values: 6 })]).toEqual([true, false]);
  });
});
