import { Fault } from '@tidings/kernel';
import { databasePrefixOf, invalidDocuments } from '@tidings/mongo';
import type { Closing } from '@tidings/runtime';
import { connectToStore } from './stored.ts';

/**
 * Validates stored documents of a world against the schemas of their collections, in the databases of all services: of each collection the 2,000
 * documents that were inserted last, and all of a smaller one.
 * @param mongoUrl the server, with the prefix of the world's databases as its path
 * @throws Fault `bug` with a line for each invalid document, and for each stored collection without a schema
 */
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

/** Closes what a run opened, once its check is complete, whatever its result. */
export async function closeAfter(check: Promise<void>, closing: Closing): Promise<void> {
  try {
    await check;
  } finally {
    await closing.close();
  }
}
