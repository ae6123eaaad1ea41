import { tester } from './condition.ts';
import { type SiblingConditions, type TagValues, tagSlots, type PredicateTag } from './predicate.ts';

export interface SiblingTests {
  readonly application: string;
  readonly tags: readonly PredicateTag[];
  readonly tests: readonly SiblingTest[];
}

interface SiblingTest {
  readonly condition: number;
  readonly meets: (values: TagValues) => boolean;
}

export function siblingTests({ conditions }: SiblingConditions): readonly SiblingTests[] {
  const indexed = conditions.map((sibling, index) => ({ ...sibling, index }));
  return [...Map.groupBy(indexed, ({ application }) => application)].map(([application, of]) => {
    const { tags, slots } = tagSlots(of.map(({ condition }) => condition));
    const tests = of.map(({ condition, index }): SiblingTest => {
      const slot = slots.get(condition.tag)!;
      const meets = tester(condition);
      return { condition: index, meets: (values) => meets(values[slot] ?? []) };
    });
    return { application, tags, tests };
  });
}
