import { join } from 'node:path';
import { startMongod } from '@tidings/local-servers';
import { MongoClient } from 'mongodb';

interface CommandCounter {
  /** Includes the server's own commands. */
  total(): Promise<number>;
  close(): Promise<void>;
}

interface Status {
  readonly metrics: { readonly commands: Readonly<Record<string, { readonly total?: number } | number>> };
}

/** Counts commands of the MongoDB in the data folder of an embedded installation. */
export async function commandCounter(dataFolder: string): Promise<CommandCounter> {
  // It borrows the server of the running platform.
  const { url } = await startMongod(join(dataFolder, 'mongo'));
  const client = await MongoClient.connect(url);
  return {
    async total() {
      const { metrics } = (await client.db('admin').command({ serverStatus: 1 })) as unknown as Status;
      return Object.values(metrics.commands).reduce<number>(
        (sum, command) => sum + Number(typeof command === 'number' ? 0 : (command.total ?? 0)),
        0,
      );
    },
    close: () => client.close(),
  };
}
