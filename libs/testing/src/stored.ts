import { MongoClient } from 'mongodb';

/** @param mongoUrl its path is the prefix of the databases */
export function connectToStore(mongoUrl: string): Promise<MongoClient> {
  // One of several hosts is no `URL`.
  return MongoClient.connect(mongoUrl.replace(/^(mongodb:\/\/[^/]+)\/[^?]*/, '$1/'));
}

/** As `database.collection: _id`, in the bytes of every document. @param mongoUrl its path is the prefix of the databases */
export async function storedText(
  mongoUrl: string,
  text: string,
  isSelected: (database: string) => boolean = () => true,
): Promise<string[]> {
  const prefix = new URL(mongoUrl).pathname.slice(1);
  const client = await connectToStore(mongoUrl);
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    const selected = databases.map(({ name }) => name).filter((name) => name.startsWith(prefix) && isSelected(name));
    const matches = await Promise.all(selected.map((name) => searched(client, name, text)));
    return matches.flat();
  } finally {
    await client.close();
  }
}

async function searched(client: MongoClient, database: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const collection of await client.db(database).collections()) {
    for await (const document of collection.find<Buffer>({}, { raw: true })) {
      if (document.includes(text)) found.push(`${database}.${collection.collectionName}: ${excerpt(document, text)}`);
    }
  }
  return found;
}

const excerpt = (document: Buffer, text: string): string => {
  const at = document.indexOf(text);
  return document.toString('latin1', Math.max(0, at - 40), at + 80).replaceAll(/[^ -~]/g, '.');
};
