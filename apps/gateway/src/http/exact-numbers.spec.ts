import fc from 'fast-check';
import { isKept, parseExactly } from './exact-numbers.ts';

const LONG = '9007199254740993';

it('keeps integers beyond 2^53 in what is passed on', () => {
  const text = `{"data":{"id":${LONG},"of":[-${LONG},1]},"price":${LONG},"list":[${LONG}]}`;
  const { data, ...others } = parseExactly(text) as Record<string, unknown>;
  expect(JSON.stringify(data)).toBe(`{"id":${LONG},"of":[-${LONG},1]}`);
  expect(others).toEqual({ price: Number(LONG), list: [Number(LONG)] });
  expect(isKept((data as Record<string, object>)['id']!)).toBe(true);
});

it('keeps them in lists, and leaves tags alone, whatever they are called', () => {
  expect(JSON.stringify(parseExactly(`{"data":[${LONG}]}`))).toBe(`{"data":[${LONG}]}`);
  const tags = { data: { value: Number(LONG) } };
  expect(parseExactly(`{"tags":{"data":{"value":${LONG}}}}`)).toEqual({ tags });
});

it('takes a number alone for what it is', () =>
  expect(parseExactly(`{"data": ${LONG}}`)).toEqual({ data: Number(LONG) }));

it('is JSON.parse for all else', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseExactly(text)).toEqual(JSON.parse(text));
    }),
  );
  expect(parseExactly(`{"a":[1e20, 0.12345678901234567, 12345678901234567890.5, "x,${LONG}"]}`)).toEqual({
    a: [1e20, 0.12345678901234567, 12345678901234567890.5, `x,${LONG}`],
  });
  expect(Object.hasOwn(parseExactly(`{"__proto__":{"a":${LONG}}}`) as object, '__proto__')).toBe(true);
  expect(() => parseExactly(`{"a":${LONG}`)).toThrow(SyntaxError);
});
