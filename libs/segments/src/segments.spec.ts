import { describe, expect, it } from '@jest/globals';
import { type Expression, Operator, TagType } from '@tidings/events';
import fc from 'fast-check';
import {
  type SampleDevice,
  sampleDevice,
  sampleElsewhere,
  sampleExpression,
  sampleLayout,
  sampleNow,
  sampleViewpoint,
  valuesOf,
} from './testing/arbitraries.ts';
import { isInSet } from './testing/naive.ts';
import type { Comparable } from './condition.ts';
import { canMatch, compilePredicate, type Predicate } from './predicate.ts';
import { chooseLookup, scanPlan } from './scan-plan.ts';
import { siblingTests } from './siblings.ts';
import { applicationsOfTags, renewed, tagsIn } from './tree.ts';

const DAY_MS = 86_400_000;
const today = Math.floor(sampleNow.getTime() / DAY_MS) * DAY_MS;

const tag = (
  number: number,
  type: TagType,
  operator: Operator,
  ...operands: (Comparable | { days: number } | { at: number; wholeDay: boolean })[]
): Expression => ({
  node: {
    $case: 'tag',
    value: {
      tag: number,
      type,
      operator,
      application: '',
      operands: operands.map((value) => {
        if (typeof value === 'number') return { value: { $case: 'number', value } };
        if (typeof value === 'bigint') return { value: { $case: 'integer', value } };
        if (typeof value === 'string') return { value: { $case: 'text', value } };
        if (typeof value === 'boolean') return { value: { $case: 'flag', value } };
        if ('days' in value)
          return { value: { $case: 'date', value: { atMs: 0n, wholeDay: true, daysAgo: value.days } } };
        return { value: { $case: 'date', value: { atMs: BigInt(value.at), wholeDay: value.wholeDay } } };
      }),
    },
  },
});
const all = (...of: Expression[]): Expression => ({ node: { $case: 'all', value: { of } } });
const any = (...of: Expression[]): Expression => ({ node: { $case: 'any', value: { of } } });

const met = (predicate: Predicate, device: Omit<SampleDevice, 'app' | 'seq'>): boolean =>
  predicate.matches(predicate.tags.map((slot) => valuesOf(device, slot.tag, slot.type)));
const meets = (expression: Expression, ...values: Comparable[]): boolean => {
  const predicate = compilePredicate(expression, sampleViewpoint);
  return predicate.matches(predicate.tags.map(() => values));
};

describe('predicate', () => {
  const { TAG_TYPE_INTEGER: INTEGER, TAG_TYPE_STRING: STRING, TAG_TYPE_LIST: LIST, TAG_TYPE_DATE: DATE } = TagType;
  const { OPERATOR_EQ: EQ, OPERATOR_NOTEQ: NOTEQ, OPERATOR_IN: IN, OPERATOR_NOTIN: NOTIN } = Operator;
  const { OPERATOR_GTE: GTE, OPERATOR_LTE: LTE, OPERATOR_BETWEEN: BETWEEN } = Operator;

  it('lets a device without a value pass complements only (R-RES14)', () => {
    for (const operator of [EQ, IN, GTE, LTE]) expect(meets(tag(70, INTEGER, operator, 1))).toBe(false);
    expect(meets(tag(70, INTEGER, BETWEEN, 1, 2))).toBe(false);
    for (const operator of [NOTEQ, NOTIN]) expect(meets(tag(70, INTEGER, operator, 1))).toBe(true);
  });

  it('includes both ends of BETWEEN, and compares text exactly', () => {
    expect([0, 1, 2, 3].map((value) => meets(tag(70, INTEGER, BETWEEN, 1, 2), value))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(meets(tag(71, STRING, EQ, 'Oslo'), 'oslo')).toBe(false);
    expect(meets(tag(72, LIST, IN, 'b', 'c'), 'a', 'b')).toBe(true);
  });

  it('distinguishes integers beyond 2^53, by every operator (R-RES8)', () => {
    const [before, at, after] = [2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n];
    const [last, lastButOne] = [2n ** 63n - 1n, 2n ** 63n - 2n];
    const found = (operator: Operator, ...operands: Comparable[]) =>
      [before, at, after, lastButOne, last].filter((value) => meets(tag(70, INTEGER, operator, ...operands), value));
    expect(found(EQ, after)).toEqual([after]);
    expect(found(NOTEQ, last)).toEqual([before, at, after, lastButOne]);
    expect(found(IN, before, lastButOne)).toEqual([before, lastButOne]);
    expect(found(IN, last, ...Array.from({ length: 20 }, (_, i) => i))).toEqual([last]);
    expect(found(NOTIN, at, last)).toEqual([before, after, lastButOne]);
    expect(found(GTE, after)).toEqual([after, lastButOne, last]);
    expect(found(LTE, at)).toEqual([before, at]);
    expect(found(BETWEEN, 0, at)).toEqual([before, at]);
    expect(found(BETWEEN, after, lastButOne)).toEqual([after, lastButOne]);
  });

  it('treats a long integer of an earlier expression as the stored double', () => {
    expect(meets(tag(70, INTEGER, EQ, 2 ** 60), 2n ** 60n)).toBe(true);
    expect(meets(tag(70, INTEGER, EQ, 2 ** 60), 2n ** 60n + 1n)).toBe(false);
    expect(meets(tag(75, TagType.TAG_TYPE_DECIMAL, EQ, 2 ** 60), 2 ** 60)).toBe(true);
  });

  it('cuts both sides to the day for whole-day operands, else to the minute (R-RES15)', () => {
    const noon = today + DAY_MS / 2;
    expect(meets(tag(73, DATE, LTE, { at: today, wholeDay: true }), noon)).toBe(true);
    expect(meets(tag(73, DATE, EQ, { at: today, wholeDay: true }), today + DAY_MS)).toBe(false);
    expect(meets(tag(73, DATE, LTE, { at: noon + 30_000, wholeDay: false }), noon + 59_999)).toBe(true);
    expect(meets(tag(73, DATE, LTE, { at: noon, wholeDay: false }), noon + 60_000)).toBe(false);
    expect(meets(tag(73, DATE, BETWEEN, { at: noon, wholeDay: false }, { at: today, wholeDay: true }), noon - 1)).toBe(
      false,
    );
  });

  it('counts "N days ago" in UTC days from the given moment', () => {
    const expression = tag(9, DATE, BETWEEN, { days: 2 }, { days: 1 });
    const at = [today, today - 1, today - 2 * DAY_MS, today - 2 * DAY_MS - 1];
    expect(at.map((ms) => meets(expression, ms))).toEqual([false, true, true, false]);
  });

  it('treats a deleted tag as unset (R-D2)', () => {
    const device = { tags: [70, 71].map((k) => ({ k, v: 'a' })) };
    const without = (gone: number[], of: Expression): boolean =>
      met(
        compilePredicate(
          renewed(of, (number) => !gone.includes(number)),
          sampleViewpoint,
        ),
        device,
      );
    const on = (operator: Operator): Expression => tag(70, STRING, operator, 'a');
    expect([EQ, NOTEQ, NOTIN].map((operator) => without([], on(operator)))).toEqual([true, false, false]);
    expect([EQ, NOTEQ, NOTIN].map((operator) => without([70], on(operator)))).toEqual([false, true, true]);
    const some = all(on(EQ), { node: { $case: 'not', value: any(tag(71, STRING, EQ, 'a')) } });
    expect([...tagsIn(some)]).toEqual([70, 71]);
    expect([[], [70], [71]].map((gone) => without(gone, some))).toEqual([false, false, true]);
    expect(renewed(some, () => true)).toEqual(some);
  });

  it('matches no device if an operand has a wrong type or a node is unknown', () => {
    expect(meets(tag(70, INTEGER, NOTEQ, 'a'), 1)).toBe(false);
    expect(meets(tag(71, STRING, GTE, 'a'), 'b')).toBe(false);
    expect(meets({ node: undefined })).toBe(false);
    expect(meets(all())).toBe(true);
    expect(compilePredicate(undefined, sampleViewpoint).matches([])).toBe(true);
  });
});

/** With MongoDB's semantics: a filter on a list matches if one entry does. */
function evaluate(filter: Record<string, unknown>, device: SampleDevice): boolean {
  return Object.entries(filter).every(([path, condition]) => {
    if (path === '$or') return (condition as Record<string, unknown>[]).some((each) => evaluate(each, device));
    if (path === 'tags') {
      const { k, v } = (condition as { $elemMatch: { k: number; v: unknown } }).$elemMatch;
      return device.tags.some((entry) => entry.k === k && holds(entry.v, v));
    }
    const value = path
      .split('.')
      .reduce<unknown>((of, key) => (of as Record<string, unknown> | undefined)?.[key], device);
    return holds(value as Comparable | undefined, condition);
  });
}

/** MongoDB compares 64-bit integers with doubles by exact value. */
const kindOf = (value: unknown): string => (typeof value === 'bigint' ? 'number' : typeof value);

function holds(value: Comparable | undefined, condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null) return value === condition;
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === '$in') return (operand as unknown[]).includes(value);
    if (kindOf(value) !== kindOf(operand)) return false;
    if (operator === '$gte') return value! >= (operand as Comparable);
    if (operator === '$lte') return value! <= (operand as Comparable);
    if (operator === '$lt') return value! < (operand as Comparable);
    throw new Error(`no such operator: ${operator}`);
  });
}

describe('scan plan', () => {
  const { TAG_TYPE_INTEGER: INTEGER, TAG_TYPE_STRING: STRING, TAG_TYPE_DATE: DATE } = TagType;
  const { OPERATOR_EQ: EQ, OPERATOR_NOTEQ: NOTEQ, OPERATOR_GTE: GTE } = Operator;
  const sampleOf = (devices: readonly Omit<SampleDevice, 'app' | 'seq'>[], expression: Expression, total: number) => {
    const { tags } = compilePredicate(expression, sampleViewpoint);
    return {
      devices: devices.map((device) => tags.map((slot) => valuesOf(device, slot.tag, slot.type))),
      total,
      chunks: Math.ceil(total / 65_536),
    };
  };

  it('finds exactly the devices that the predicate matches, with any lookup', () => {
    fc.assert(
      fc.property(
        fc.array(sampleDevice, { minLength: 1, maxLength: 12 }),
        sampleExpression,
        fc.array(sampleDevice, { maxLength: 6 }),
        fc.constantFrom(10, 1_000_000),
        (drawn, expression, sampled, total) => {
          const devices = drawn.map((device, seq) => ({ ...device, app: 'A', seq }));
          const lookup = chooseLookup(expression, sampleViewpoint, sampleLayout, sampleOf(sampled, expression, total));
          const plan = scanPlan(expression, sampleViewpoint, sampleLayout, lookup);
          const filter = plan.filter('A', 0, devices.length);
          const found = devices.filter(
            (device) => evaluate(filter, device) && (!plan.residual || met(plan.residual, device)),
          );
          const predicate = compilePredicate(expression, sampleViewpoint);
          expect(found).toEqual(devices.filter((device) => met(predicate, device)));
          expect(found).toEqual(devices.filter((device) => isInSet(expression, device)));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('looks up the rarest positive condition, and checks the rest in memory', () => {
    const expression = all(tag(70, INTEGER, EQ, 1), tag(71, STRING, EQ, 'rare'), tag(70, INTEGER, NOTEQ, 9));
    const devices = Array.from({ length: 100 }, (_, i) => ({
      tags: [
        { k: 70, v: 1 },
        { k: 71, v: i === 0 ? 'rare' : 'often' },
      ],
    }));
    const lookup = chooseLookup(expression, sampleViewpoint, sampleLayout, sampleOf(devices, expression, 1_000_000));
    expect(lookup).toEqual([1]);
    const plan = scanPlan(expression, sampleViewpoint, sampleLayout, lookup);
    expect(plan.hint).toBe('app_tags_seq');
    expect(plan.filter('A', 65_536, 131_071)).toEqual({
      app: 'A',
      seq: { $gte: 65_536, $lte: 131_071 },
      tags: { $elemMatch: { k: 71, v: 'rare' } },
    });
    expect(plan.residual?.tags.map((slot) => slot.tag)).toEqual([70]);
  });

  it('looks up every branch of an alternative in one index, or none', () => {
    const nobody = Array.from({ length: 100 }, () => ({ tags: [] }));
    const seldom = any(
      tag(70, INTEGER, EQ, 1),
      all(tag(71, STRING, EQ, 'a'), tag(10, TagType.TAG_TYPE_BOOLEAN, EQ, true)),
    );
    expect(chooseLookup(seldom, sampleViewpoint, sampleLayout, sampleOf(nobody, seldom, 100_000))).toEqual([0, 1]);
    const mixed = any(tag(70, INTEGER, EQ, 1), tag(4, INTEGER, EQ, 3600));
    expect(chooseLookup(mixed, sampleViewpoint, sampleLayout, sampleOf(nobody, mixed, 100_000))).toEqual([]);
  });

  it('reads all devices if that is cheaper: for common values, and for ranges of many values in many chunks', () => {
    const most = tag(70, INTEGER, EQ, 1);
    const devices = [{ tags: [{ k: 70, v: 1 }] }];
    expect(chooseLookup(most, sampleViewpoint, sampleLayout, sampleOf(devices, most, 1000))).toEqual([]);
    const since = tag(73, DATE, GTE, { at: 0, wholeDay: true });
    const opened = Array.from({ length: 100 }, (_, i) => ({ tags: i < 20 ? [{ k: 73, v: i * 60_000 }] : [] }));
    expect(chooseLookup(since, sampleViewpoint, sampleLayout, sampleOf(opened, since, 1_000_000))).toEqual([]);
    expect(chooseLookup(since, sampleViewpoint, sampleLayout, sampleOf(opened, since, 60_000))).toEqual([0]);
  });

  it('needs no second check if the index is sufficient, and one if texts were truncated', () => {
    const short = tag(71, STRING, EQ, 'x'.repeat(63));
    expect(scanPlan(short, sampleViewpoint, sampleLayout, [0]).residual).toBeUndefined();
    const long = tag(71, STRING, EQ, 'x'.repeat(65));
    const plan = scanPlan(long, sampleViewpoint, sampleLayout, [0]);
    expect(plan.filter('A', 0, 1)).toMatchObject({ tags: { $elemMatch: { v: 'x'.repeat(64) } } });
    expect(plan.residual).toBeDefined();
  });
});

describe('conditions on siblings (R-O5)', () => {
  const { TAG_TYPE_INTEGER: INTEGER } = TagType;
  const { OPERATOR_EQ: EQ, OPERATOR_NOTEQ: NOTEQ } = Operator;
  type Sample = Omit<SampleDevice, 'app' | 'seq'>;
  const viewpoint = { ...sampleViewpoint, bySiblings: true };
  const not = (value: Expression): Expression => ({ node: { $case: 'not', value } });
  const elsewhere = (expression: Expression): Expression => {
    if (expression.node?.$case !== 'tag') throw new Error('not a condition on a tag');
    return { node: { $case: 'tag', value: { ...expression.node.value, application: sampleElsewhere } } };
  };

  function traitsOf({ siblings }: Predicate, sibling: Sample | undefined): ReadonlySet<number> {
    const traits = new Set<number>();
    for (const { application, tags, tests } of siblings ? siblingTests(siblings) : []) {
      if (!sibling || application !== sampleElsewhere) continue;
      const values = tags.map((slot) => valuesOf(sibling, slot.tag, slot.type));
      for (const { condition, meets } of tests) if (meets(values)) traits.add(siblings!.conditions[condition]!.trait);
    }
    return traits;
  }

  function metBySiblings(predicate: Predicate, device: Sample, sibling: Sample | undefined): boolean {
    const valuesWith = (traits: ReadonlySet<number>): (readonly Comparable[])[] =>
      predicate.tags.map(({ tag, type }) => (traits.has(tag) ? [true] : valuesOf(device, tag, type)));
    const bare = valuesWith(new Set());
    const isMet = predicate.matches(valuesWith(traitsOf(predicate, sibling)));
    if (predicate.siblings?.decide(bare) !== true) expect(predicate.matches(bare)).toBe(isMet);
    return isMet;
  }

  it('select the devices of sets that siblings belong to, with any lookup', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(sampleDevice, fc.option(sampleDevice, { nil: undefined })), { minLength: 1, maxLength: 12 }),
        sampleExpression,
        fc.constantFrom(10, 1_000_000),
        (drawn, expression, total) => {
          const devices = drawn.map(([device, sibling], seq) => ({ ...device, sibling, app: 'A', seq }));
          const rare = { devices: Array.from({ length: 100 }, () => []), total, chunks: 1 };
          const lookup = chooseLookup(expression, viewpoint, sampleLayout, rare);
          const { filter, residual } = scanPlan(expression, viewpoint, sampleLayout, lookup);
          const predicate = compilePredicate(expression, viewpoint);
          const expected = devices.filter(({ sibling, ...device }) =>
            isInSet(expression, device, new Map(sibling ? [[sampleElsewhere, sibling]] : [])),
          );
          const isFound = (device: (typeof devices)[number]): boolean =>
            evaluate(filter('A', 0, devices.length), device) &&
            (!residual || metBySiblings(residual, device, device.sibling));
          expect(devices.filter((device) => metBySiblings(predicate, device, device.sibling))).toEqual(expected);
          expect(devices.filter(isFound)).toEqual(expected);
          if (!canMatch(expression, viewpoint)) expect(expected).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('match only devices that have a sibling; the complement of the set matches the others', () => {
    const device: Sample = { tags: [] };
    const [one, two]: Sample[] = [1, 2].map((v) => ({ tags: [{ k: 70, v }] }));
    const matched = (expression: Expression): boolean[] => {
      const predicate = compilePredicate(expression, viewpoint);
      return [one, two, device, undefined].map((sibling) => metBySiblings(predicate, device, sibling));
    };
    expect(matched(elsewhere(tag(70, INTEGER, EQ, 1)))).toEqual([true, false, false, false]);
    // A sibling without a value passes (R-RES14).
    expect(matched(elsewhere(tag(70, INTEGER, NOTEQ, 1)))).toEqual([false, true, true, false]);
    expect(matched(not(elsewhere(tag(70, INTEGER, EQ, 1))))).toEqual([false, true, true, true]);
    expect(matched(not(elsewhere(tag(70, INTEGER, NOTEQ, 1))))).toEqual([true, false, false, true]);
    const invalid = elsewhere(tag(70, INTEGER, EQ, 'x'));
    expect([matched(invalid), matched(not(invalid))]).toEqual(Array(2).fill([false, false, false, false]));
  });

  it('need a sibling only if the other conditions do not decide', () => {
    const there = elsewhere(tag(71, INTEGER, EQ, 1));
    const matches = (expression: Expression, ...values: Comparable[]): boolean | undefined =>
      compilePredicate(expression, viewpoint).siblings?.decide([values]);
    const own = tag(70, INTEGER, EQ, 1);
    expect([matches(all(own, there), 1), matches(all(own, there), 2)]).toEqual([true, false]);
    expect([matches(any(own, there), 1), matches(any(own, there), 2)]).toEqual([false, true]);
    expect(matches(own, 1)).toBeUndefined();
    expect(compilePredicate(there, sampleViewpoint).siblings).toBeUndefined();
  });

  it('name their applications', () => {
    const there = elsewhere(tag(70, INTEGER, EQ, 1));
    expect([...applicationsOfTags(any(tag(70, INTEGER, EQ, 1), not(all(there, there))))]).toEqual([sampleElsewhere]);
  });
});
