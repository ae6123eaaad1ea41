import { chunkRecordKey } from '@tidings/delivery';
import { FanoutTask, PlanEvent } from '@tidings/events';
import { bytesOf } from '@tidings/mongo';
import { type PlanDocument, PLANS } from '@tidings/registry-store';
import type { OutRecord } from '@tidings/streaming';
import type { Db } from 'mongodb';

/** Dispatchers remember outcomes for 2 days. */
export async function* tasksForOutcomes(db: Db, since: Date): AsyncGenerator<OutRecord> {
  const recent = { $or: [{ settledAt: { $exists: false } }, { settledAt: { $gte: since } }] };
  const plans = db.collection<PlanDocument>(PLANS).find(recent, { projection: { event: 1 } });
  for await (const { event: stored } of plans) {
    const { message, account, application, bucket, event } = PlanEvent.decode(bytesOf(stored));
    if (event?.$case !== 'chunk') continue;
    const key = { message, bucket, application, chunk: event.value.chunk };
    yield { key: chunkRecordKey(key), value: FanoutTask.encode({ ...key, account, outcomesAgain: true }).finish() };
  }
}
