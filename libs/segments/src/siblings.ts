import { tester } from './condition.ts';
import { type SiblingConditions, type TagValues, wantedBy, type WantedTag } from './predicate.ts';

/** The conditions of a predicate on siblings in one application. */
export interface SiblingTests {
  readonly application: string;
  /** The tags of their devices, without duplicates. */
  readonly tags: readonly WantedTag[];
  readonly tests: readonly SiblingTest[];
}

interface SiblingTest {
  /** Index of the condition in {@link SiblingConditions.conditions}. */
  readonly condition: number;
  /** Whether a device meets the condition. @param values the values of the tags, in order */
  readonly meets: (values: TagValues) => boolean;
}

/** The tests of sibling conditions, by the application of the siblings. */
export function siblingTests({ conditions }: SiblingConditions): readonly SiblingTests[] {
  const indexed = conditions.map((sibling, index) => ({ ...sibling, index }));
  return [...Map.groupBy(indexed, ({ application }) => application)].map(([application, of]) => {
    const { tags, slots } = wantedBy(of.map(({ condition }) => condition));
    const tests = of.map(({ condition, index }): SiblingTest => {
      const slot = slots.get(condition.tag)!;
      const meets = tester(condition);
      return { condition: index, meets: (values) => meets(values[slot] ?? []) };
    });
    return { application, tags, tests };
  });
}
