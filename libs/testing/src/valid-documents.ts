import { Fault } from '@tidings/kernel';
import { databasePrefixOf, invalidDocuments } from '@tidings/mongo';
import type { Closing } from '@tidings/runtime';
import { connectToStore } from './stored.ts';

/** At most the last 2,000 documents of each collection. @throws Fault `bug` with a line for each invalid one */
export async function checkDocuments(mongoUrl: string): Promise<void> {
  const { collectionsByDatabase } = await import('@tidings/platform/collections');
  const client = await connectToStore(mongoUrl);
  try {
    const prefix = databasePrefixOf(mongoUrl);
    const lines = await Promise.all(
      Object.entries(collectionsByDatabase).map(([name, models]) =>
        invalidDocuments(client.db(`${prefix}_${name}`), models),
      ),
    );
    const invalid = lines.flat();
    if (invalid.length > 0) throw Fault.bug(`${invalid.length} documents do not fit:\n${invalid.join('\n')}`);
  } finally {
    await client.close();
  }
}

/** Closes whatever the result. */
export async function closeAfter(check: Promise<void>, closing: Closing): Promise<void> {
  try {
    await check;
  } finally {
    await closing.close();
  }
}
