import type { Db } from 'mongodb';
import { type DeviceDocument, deviceIndexes, DEVICES } from './document.ts';
import type { PersonsReader } from './log.ts';

interface Question {
  readonly persons: string[];
  readonly answer: Promise<ReadonlySet<string>>;
}

/** Asks for the persons of all groups that are prepared in one go with one query, which the index alone answers. */
export function openPersons(db: Db): PersonsReader {
  const devices = db.collection<DeviceDocument>(DEVICES);
  let open: Question | undefined;

  const ask = (): Question => {
    const persons: string[] = [];
    const answer = Promise.resolve().then(async () => {
      open = undefined;
      const found = await devices
        .find(
          { person: { $in: persons } },
          { projection: { _id: 0, person: 1 }, hint: deviceIndexes.person, batchSize: 10_000 },
        )
        .toArray();
      return new Set(found.map(({ person }) => person));
    });
    return { persons, answer };
  };

  return (persons) => {
    open ??= ask();
    open.persons.push(...persons);
    return open.answer;
  };
}
