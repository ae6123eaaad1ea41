import fc from 'fast-check';
import { type Linked, LinkedList } from './linked-list.ts';

interface Item extends Linked<Item> {
  readonly name: number;
}

const namesIn = (list: LinkedList<Item>): number[] => {
  const names: number[] = [];
  for (let item = list.first; item; item = item.next) names.push(item.name);
  return names;
};

describe('a linked list', () => {
  it('contains the same items as a set, in the same order, under random changes', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { nil: undefined }), { maxLength: 60 }), (steps) => {
        const list = new LinkedList<Item>();
        const model = new Set<Item>();
        for (const [name, step] of steps.entries()) {
          const members = [...model];
          if (step === undefined || members.length === 0) {
            const item: Item = { name, previous: undefined, next: undefined };
            list.add(item);
            model.add(item);
          } else {
            const item = members[step % members.length]!;
            list.remove(item);
            model.delete(item);
            expect([item.previous, item.next]).toEqual([undefined, undefined]);
          }
          expect(namesIn(list)).toEqual([...model].map((item) => item.name));
          expect(list.size).toBe(model.size);
        }
      }),
    );
  });
});
