import { api, LongInteger } from '@tidings/contract';
import fc from 'fast-check';
import { isSourceText, parseExactly, parseVerbatim } from './exact-numbers.ts';

const LONG = '9007199254740993';

it('parseExactly keeps integers beyond 2^53 in values that are passed on', () => {
  const text = `{"data":{"id":${LONG},"of":[-${LONG},1]},"price":${LONG},"prices":[${LONG}]}`;
  const { data, ...others } = parseExactly(text) as Record<string, unknown>;
  expect(JSON.stringify(data)).toBe(`{"id":${LONG},"of":[-${LONG},1]}`);
  expect(others).toEqual({ price: Number(LONG), prices: [Number(LONG)] });
  expect(isSourceText((data as Record<string, object>)['id']!)).toBe(true);
});

it('parseExactly keeps integers beyond 2^53 in lists', () => {
  expect(JSON.stringify(parseExactly(`{"data":[${LONG}]}`))).toBe(`{"data":[${LONG}]}`);
});

it('parseExactly keeps integers of any length in tags and conditions, apart from texts', () => {
  const text = `{"tags":{"data":{"value":${LONG}},"text":"${LONG}","list":[1,-${LONG}]},"conditions":[["a","EQ",${LONG}]]}`;
  const long = new LongInteger(LONG);
  expect(parseExactly(text)).toEqual({
    tags: { data: { value: long }, text: LONG, list: [1, new LongInteger(`-${LONG}`)] },
    conditions: [['a', 'EQ', long]],
  });
  expect(JSON.stringify(parseExactly(text))).toBe(text);
  const longer = `${LONG}${LONG}`;
  expect(parseExactly(`{"tags":{"a":${longer}}}`)).toEqual({ tags: { a: new LongInteger(longer) } });
});

it('parseExactly takes a number with as many digits as the largest request has bytes', () => {
  const digits = `1${'0'.repeat(10_000_000)}`;
  const { price, tags } = parseExactly(`{"price":-${digits},"tags":{"a":${digits}}}`) as Record<string, object>;
  expect(price).toBe(-Infinity);
  expect(tags).toEqual({ a: new LongInteger(digits) });
});

it('parseExactly keeps the digits of numbers that name devices and users (R-ER7)', () => {
  const text = `{"hwid":${LONG},"users":[-${LONG},1],"devices":[{"user_id":${LONG}}],"data":{"userId":${LONG}},"tags":{"hwid":${LONG}}}`;
  const { data, tags, ...others } = parseExactly(text) as Record<string, unknown>;
  expect(others).toEqual({ hwid: LONG, users: [`-${LONG}`, 1], devices: [{ user_id: LONG }] });
  expect(JSON.stringify({ data, tags })).toBe(`{"data":{"userId":${LONG}},"tags":{"hwid":${LONG}}}`);
  const request = { application: 'A', hwid: 'h', device_type: 3, ...(parseExactly(`{"userId":${LONG}}`) as object) };
  expect(api.registerDevice.parse(request).device).toMatchObject({ userId: LONG });
});

it.each(['transactionId', 'transaction_id', 'live_activity_id', 'activity_id'])(
  'parseExactly keeps the digits of a number that is a %s (R-I10)',
  (name) =>
    expect(parseExactly(`{"notifications":[{"${name}":${LONG}}]}`)).toEqual({ notifications: [{ [name]: LONG }] }),
);

it.each([
  ...['custom_data', 'customData', 'meta_data', 'metaData', 'dynamicContentPlaceholders', 'live_activity'],
  ...['root_params', 'rootParams', 'huawei_android_root_params', 'adm_root_params'],
])('parseExactly keeps integers beyond 2^53 in %s', (name) => {
  const text = `{"${name}":{"attributes":{"id":${LONG}}}}`;
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

it('notify takes integers beyond 2^53 as placeholders, custom data and operands (R-I18)', () => {
  const condition = `{"tag":{"name":"Id","operator":"EQ","value":${LONG}}}`;
  const filter = `"filter_expression":{"conditions":[${condition}]}`;
  const payload = `"payload":{"custom_data":{"id":${LONG}}}`;
  const text = `{"segment":{"application":"A","dynamic_content_placeholders":{"id":${LONG}},${filter},${payload}}}`;
  expect(api.notify.parse(parseExactly(text) as Record<string, unknown>).message).toMatchObject({
    placeholders: `{"id":${LONG}}`,
    data: `{"id":${LONG}}`,
    recipients: { filter: { conditions: [{ value: new LongInteger(LONG) }] } },
  });
});

it('parseExactly does not keep a number that is the whole value of a passed-on member', () =>
  expect(parseExactly(`{"data": ${LONG}}`)).toEqual({ data: Number(LONG) }));

it.each([`{"id":${LONG},"tags":{"a":[-${LONG}]}}`, `[${LONG},{"hwid":${LONG}}]`, LONG, '"text"', 'null', '{"a":1.5}'])(
  'parseVerbatim keeps the digits of JSON: %s (R-I18)',
  (json) => expect(JSON.stringify(parseVerbatim(json))).toBe(json),
);

it('parseExactly reads everything else as JSON.parse does', () => {
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

it.each([
  `{"data":{${LONG}:1}}`,
  `{"data":{"a":1,${LONG}:2}}`,
  `{"data":[0${LONG}]}`,
  `{"data":[--${LONG}]}`,
  `{"data":[+${LONG}]}`,
  `{"data":[.${LONG}]}`,
  `{"data":[1 ${LONG}]}`,
  `{"data":[${LONG} 1]}`,
  `{"data":[${LONG}\u00a0]}`,
  `{"data":"a" ${LONG}}`,
])('parseExactly refuses invalid JSON: %s', (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(() => parseExactly(text)).toThrow(SyntaxError);
});

it('parseExactly keeps integers beyond 2^53 in texts of any length, and reads other values as JSON.parse does', () => {
  const long = fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }).chain((n) => fc.constantFrom(n, -n));
  const space = fc.constantFrom('', ' ', '\n\t');
  fc.assert(
    fc.property(fc.json(), long, space, (json, number, gap) => {
      const text = `{"x":${json},"data":[${gap}${number}${gap},${json},{"a":${gap}${number}${gap}}]}`;
      const { data, x } = parseExactly(text) as { data: unknown[]; x: unknown };
      expect(x).toEqual(JSON.parse(json));
      expect(JSON.stringify([data[0], data[2]])).toBe(`[${number},{"a":${number}}]`);
    }),
  );
  const padded = `{"data":[${LONG}],"x":"${' '.repeat(8 * 1024 * 1024)}"}`;
  expect(JSON.stringify((parseExactly(padded) as { data: unknown }).data)).toBe(`[${LONG}]`);
});

it('parseExactly costs a few times as much as JSON.parse, for a million zeros, too', () => {
  const text = `{"data":[${LONG}${',0'.repeat(1_000_000)}]}`;
  // CPU time is reported in coarse steps, so eight runs are measured together.
  const cpu = (work: () => unknown): number => {
    const before = process.cpuUsage();
    for (let run = 0; run < 8; run++) work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // A reviver costs eighty times as much.
  expect(cpu(() => parseExactly(text)) / cpu(() => JSON.parse(text) as unknown)).toBeLessThan(25);
});
