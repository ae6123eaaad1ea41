import { Fault } from '@tidings/kernel';

/** Characters: the reply is built in memory. */
const MAX_LENGTH = 64 << 20;

export interface Part<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string;
}

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
