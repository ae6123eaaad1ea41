import { Fault } from '@tidings/kernel';

/** Maximum characters of all texts in a list: the reply is built in memory as a whole. */
const MAX_LENGTH = 64 << 20;

/** One page of a list, as a service answers it. */
export interface Part<Entry> {
  readonly entries: readonly Entry[];
  /** Start of the next page; "" after the last one. */
  readonly next: string;
}

/**
 * Reads a list to its end, page by page.
 * @param lengthOf characters of an entry's texts
 * @throws Fault `tooLarge` if the texts have more than 64 Mi characters: such a reply would not fit into memory
 */
export async function wholeList<Entry>(
  read: (after: string) => Promise<Part<Entry>>,
  lengthOf: (entry: Entry) => number,
): Promise<Entry[]> {
  const whole: Entry[] = [];
  let length = 0;
  for (let after = ''; ;) {
    const { entries, next } = await read(after);
    for (const entry of entries) {
      length += lengthOf(entry);
      whole.push(entry);
    }
    if (length > MAX_LENGTH) throw Fault.tooLarge('The list is too large: its texts have more than 64 MiB');
    if (next === '') return whole;
    after = next;
  }
}
