import { ExportInput } from '@tidings/rpc';
import type { Binary, Db } from 'mongodb';
import type { OrphanRemoval } from '../jobs/orphan-removal.ts';

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

interface InputDocument {
  /** The job. */
  readonly _id: string;
  readonly at: Date;
  /** An encoded ExportInput. */
  readonly input: Uint8Array | Binary;
}

/** What exports read, beside the logs: expressions may name people. */
export interface Inputs extends OrphanRemoval {
  /** Keeps the first one that is given for a job, and answers which that is. */
  store(job: string, input: ExportInput, at: Date): Promise<ExportInput>;
  find(job: string): Promise<ExportInput | undefined>;
}

export async function openInputs(db: Db): Promise<Inputs> {
  const inputs = db.collection<InputDocument>('exportInputs');
  await inputs.createIndexes([{ name: 'age', key: { at: 1 } }]);
  const find = async (job: string): Promise<ExportInput | undefined> => {
    const found = await inputs.findOne({ _id: job });
    return found ? ExportInput.decode(found.input instanceof Uint8Array ? found.input : found.input.buffer) : undefined;
  };
  return {
    find,
    async store(job, input, at) {
      const document = { at, input: ExportInput.encode(input).finish() };
      const { upsertedCount } = await inputs.updateOne(
        { _id: job },
        { $setOnInsert: document },
        { upsert: true, ...DURABLE },
      );
      return upsertedCount > 0 ? input : ((await find(job)) ?? input);
    },
    remove: async (jobs) => void (await inputs.deleteMany({ _id: { $in: [...jobs] } })),
    removeBefore: async (at) => void (await inputs.deleteMany({ at: { $lt: at } })),
  };
}
