import { asBuffer, bytesOf, modelOf } from '@tidings/mongo';
import { ExportInput } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { OrphanRemoval } from '../jobs/orphan-removal.ts';
import { exportInputsModel, type InputDocument } from './storage/exports.schema.ts';

/** Expressions may contain personal data, which no log keeps. */
export interface Inputs extends OrphanRemoval {
  /** @returns the first input stored for the job */
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
