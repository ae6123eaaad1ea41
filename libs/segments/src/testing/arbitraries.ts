import { type Expression, type Operand, Operator, TagType } from '@tidings/events';
import fc from 'fast-check';
import { type Comparable, deviceTraits } from '../condition.ts';
import type { Viewpoint } from '../predicate.ts';
import { type DeviceLayout, INDEXED_LENGTH } from '../scan-plan.ts';

export interface SampleDevice {
  readonly app: string;
  readonly seq: number;
  readonly platform?: number;
  readonly token?: string;
  readonly lang?: string;
  readonly tz?: number;
  readonly alerts?: boolean;
  readonly self?: { readonly open?: number };
  readonly tags: readonly { readonly k: number; readonly v: Comparable; readonly s?: string }[];
}

export const sampleLayout: DeviceLayout = {
  seqIndex: 'app_seq',
  tagsIndex: 'app_tags_seq',
  fields: new Map([
    [1, { path: 'lang' }],
    [4, { path: 'tz', index: 'app_tz_seq' }],
    [9, { path: 'self.open', index: 'app_open_seq' }],
    [10, { path: 'alerts' }],
  ]),
};

export const sampleNow = new Date('2026-03-15T12:34:56.789Z');
export const sampleViewpoint: Viewpoint = { now: sampleNow, application: 'HERE0-00001' };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const numbers = fc.constantFrom(-2, -1.5, 0, 1, 2, 3.25, 7, 2 ** 40);
/** Adjacent integers that are equal as doubles. */
const integers = fc.oneof(
  numbers.filter(Number.isInteger),
  fc.constantFrom(2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 2n, 2n ** 63n - 1n),
);
const longText = (tail: string): string => '\u{1F980}é'.repeat(INDEXED_LENGTH / 2) + tail;
const texts = fc.constantFrom(
  '',
  'a',
  'A',
  'ä',
  'b.c',
  'x'.repeat(INDEXED_LENGTH),
  longText(''),
  longText('1'),
  longText('2'),
);
const versionKeys = fc.constantFrom('11~M', '11~Z`12~M', '12~M', '1210~M');
/** Times around the midnights that "N days ago" refers to. */
const dates = fc
  .record({
    days: fc.integer({ min: 0, max: 3 }),
    ms: fc.constantFrom(0, 1, 59_999, MINUTE_MS, 12 * 3_600_000, DAY_MS - 1),
  })
  .map(({ days, ms }) => Math.floor(sampleNow.getTime() / DAY_MS - days) * DAY_MS + ms);
const zones = fc.constantFrom(-3600, 0, 3600, 7200);
const languages = fc.constantFrom('de', 'en', 'fr');

const typed: readonly { readonly tag: number; readonly type: TagType }[] = [
  { tag: 70, type: TagType.TAG_TYPE_INTEGER },
  { tag: 71, type: TagType.TAG_TYPE_STRING },
  { tag: 72, type: TagType.TAG_TYPE_LIST },
  { tag: 73, type: TagType.TAG_TYPE_DATE },
  { tag: 74, type: TagType.TAG_TYPE_BOOLEAN },
  { tag: 75, type: TagType.TAG_TYPE_DECIMAL },
  { tag: 76, type: TagType.TAG_TYPE_VERSION },
  { tag: 1, type: TagType.TAG_TYPE_STRING },
  { tag: 4, type: TagType.TAG_TYPE_INTEGER },
  { tag: 9, type: TagType.TAG_TYPE_DATE },
  { tag: 10, type: TagType.TAG_TYPE_BOOLEAN },
];

const entry = (k: number, text: string): SampleDevice['tags'][number] => {
  const points = Array.from(text);
  return points.length > INDEXED_LENGTH ? { k, v: points.slice(0, INDEXED_LENGTH).join(''), s: text } : { k, v: text };
};

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

export const sampleDevice: fc.Arbitrary<Omit<SampleDevice, 'app' | 'seq'>> = fc
  .record({
    platform: fc.constantFrom(1, 3, 14),
    token: optional(fc.constant('t')),
    integer: optional(integers),
    decimal: optional(numbers),
    text: optional(texts),
    list: fc.uniqueArray(texts, { maxLength: 3 }),
    date: optional(dates),
    flag: optional(fc.boolean()),
    version: optional(versionKeys),
    lang: optional(languages),
    tz: optional(zones),
    open: optional(dates),
    alerts: optional(fc.boolean()),
  })
  .map(({ platform, token, integer, decimal, text, list, date, flag, version, lang, tz, open, alerts }) => ({
    platform,
    ...(token === undefined ? {} : { token }),
    ...(lang === undefined ? {} : { lang }),
    ...(tz === undefined ? {} : { tz }),
    ...(alerts === undefined ? {} : { alerts }),
    ...(open === undefined ? {} : { self: { open } }),
    tags: [
      ...(integer === undefined ? [] : [{ k: 70, v: integer }]),
      ...(text === undefined ? [] : [entry(71, text)]),
      ...list.map((item) => entry(72, item)),
      ...(date === undefined ? [] : [{ k: 73, v: Math.floor(date / MINUTE_MS) * MINUTE_MS }]),
      ...(flag === undefined ? [] : [{ k: 74, v: flag }]),
      ...(decimal === undefined ? [] : [{ k: 75, v: decimal }]),
      ...(version === undefined ? [] : [{ k: 76, v: version, s: 'as given' }]),
    ],
  }));

export function valuesOf(device: Omit<SampleDevice, 'app' | 'seq'>, tag: number, type: TagType): readonly Comparable[] {
  const traits = { [deviceTraits.platform]: device.platform, [deviceTraits.token]: device.token && true };
  const field = { ...traits, 1: device.lang, 4: device.tz, 9: device.self?.open, 10: device.alerts }[tag];
  if (field !== undefined) return [field];
  return device.tags.filter(({ k }) => k === tag).map(({ v, s }) => (type === TagType.TAG_TYPE_VERSION ? v : (s ?? v)));
}

const operand = (tag: number, type: TagType): fc.Arbitrary<Operand> => {
  const number = (value: number): Operand => ({ value: { $case: 'number', value } });
  const integer = (value: number | bigint): Operand =>
    typeof value === 'number' ? number(value) : { value: { $case: 'integer', value } };
  const text = (value: string): Operand => ({ value: { $case: 'text', value } });
  switch (type) {
    case TagType.TAG_TYPE_INTEGER:
      return tag === 4 ? zones.map(number) : integers.map(integer);
    case TagType.TAG_TYPE_DECIMAL:
      return numbers.map(number);
    case TagType.TAG_TYPE_VERSION:
      return versionKeys.map(text);
    case TagType.TAG_TYPE_BOOLEAN:
      return fc.boolean().map((value) => ({ value: { $case: 'flag', value } }));
    case TagType.TAG_TYPE_DATE:
      return fc.oneof(
        fc
          .record({ at: dates, wholeDay: fc.boolean() })
          .map(({ at, wholeDay }): Operand => ({ value: { $case: 'date', value: { atMs: BigInt(at), wholeDay } } })),
        fc
          .integer({ min: 0, max: 3 })
          .map((daysAgo): Operand => ({ value: { $case: 'date', value: { atMs: 0n, wholeDay: true, daysAgo } } })),
      );
    default:
      return (tag === 1 ? languages : texts).map(text);
  }
};

export const sampleElsewhere = 'THERE-00002';

/** Devices never have a sibling in the last one. */
const here = fc.oneof(
  { weight: 4, arbitrary: fc.constant(sampleViewpoint.application) },
  { weight: 3, arbitrary: fc.constant(sampleElsewhere) },
  { weight: 1, arbitrary: fc.constant('NOONE-00003') },
);

const condition: fc.Arbitrary<Expression> = fc
  .record({
    of: fc.constantFrom(...typed),
    application: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, here),
    operator: fc.constantFrom(...Array.from({ length: 7 }, (_, i) => (i + 1) as Operator)),
  })
  .chain(({ of: { tag, type }, application, operator }) => {
    const count =
      operator === Operator.OPERATOR_BETWEEN ? { minLength: 2, maxLength: 2 } : { minLength: 1, maxLength: 3 };
    const listed = operator === Operator.OPERATOR_IN || operator === Operator.OPERATOR_NOTIN;
    const operands = fc.array(
      operand(tag, type),
      listed || operator === Operator.OPERATOR_BETWEEN ? count : { minLength: 1, maxLength: 1 },
    );
    return operands.map((of): Expression => ({
      node: { $case: 'tag', value: { tag, type, operator, operands: of, application } },
    }));
  });

const ofApplication: fc.Arbitrary<Expression> = fc
  .record({ application: here, platforms: fc.subarray([1, 3, 14, 18]), withToken: fc.boolean() })
  .map((value): Expression => ({ node: { $case: 'application', value } }));

export const sampleExpression: fc.Arbitrary<Expression> = fc.letrec<{ expression: Expression }>((tie) => {
  const several = fc.array(tie('expression'), { minLength: 1, maxLength: 3 });
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: condition },
      ofApplication,
      several.map((of): Expression => ({ node: { $case: 'all', value: { of } } })),
      several.map((of): Expression => ({ node: { $case: 'any', value: { of } } })),
      tie('expression').map((value): Expression => ({ node: { $case: 'not', value } })),
    ),
  };
}).expression;
