import { asBuffer, bytesOf, modelOf } from '@tidings/mongo';
import { ExportInput } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { OrphanRemoval } from '../jobs/orphan-removal.ts';
import { exportInputsModel, type InputDocument } from './storage/exports.schema.ts';

/** What exports read, beside the logs: expressions may name people. */
export interface Inputs extends OrphanRemoval {
  /** Keeps the first one that is given for a job, and answers which that is. */
  store(job: string, input: ExportInput, at: Date): Promise<ExportInput>;
  find(job: string): Promise<ExportInput | undefined>;
}

export function openInputs(db: Db): Inputs {
  const inputs = modelOf(db, exportInputsModel);
  const find = async (job: string): Promise<ExportInput | undefined> => {
    const found = await inputs.findOne({ _id: job }).lean<InputDocument | null>();
    return found ? ExportInput.decode(bytesOf(found.input)) : undefined;
  };
  return {
    find,
    async store(job, input, at) {
      const document = { at, input: asBuffer(ExportInput.encode(input).finish()) };
      const { upsertedCount } = await inputs.updateOne({ _id: job }, { $setOnInsert: document }, { upsert: true });
      return upsertedCount > 0 ? input : ((await find(job)) ?? input);
    },
    remove: async (jobs) => void (await inputs.deleteMany({ _id: { $in: [...jobs] } })),
    removeBefore: async (at) => void (await inputs.deleteMany({ at: { $lt: at } })),
  };
}
