import type { Clock } from '@tidings/kernel';
import { readIn } from '@tidings/telemetry';
import { collectionOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import { UNFINISHED, messagesModel } from './storage/messages.schema.ts';

/** Tells how long the oldest message has been released and is not done: the one figure that shows that something stands still. */
export function messageMetrics(registry: Registry, db: Db, clock: Clock): void {
  const messages = collectionOf(db, messagesModel);
  const definition = {
    name: 'tidings_scheduler_oldest_unfinished_seconds',
    help: 'For how long the oldest message that is not done has been released; 0 = all are done',
  } as const;
  readIn(registry, 'gauge', definition, async () => {
    const now = new Date(clock.now());
    const oldest = await messages.findOne(
      // What recipients still join is not to be done yet.
      { status: 'PROCESSING', $or: [{ openUntil: { $exists: false } }, { openUntil: { $lte: now } }] },
      { projection: { releasedAt: 1 }, sort: { releasedAt: 1 }, hint: UNFINISHED },
    );
    const releasedAt = oldest?.releasedAt?.getTime();
    return [{ value: releasedAt === undefined ? 0 : Math.max(0, now.getTime() - releasedAt) / 1000 }];
  });
}
