import type { Clock } from '@tidings/kernel';
import { readIn } from '@tidings/telemetry';
import { collectionOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import { UNFINISHED, messagesModel } from './storage/messages.schema.ts';

/** The age of the oldest released message that is not completed: a single figure that reveals a standstill. */
export function messageMetrics(registry: Registry, db: Db, clock: Clock): void {
  const messages = collectionOf(db, messagesModel);
  const definition = {
    name: 'tidings_scheduler_oldest_unfinished_seconds',
    help: 'For how long the oldest message that is not done has been released; 0 = all are done',
  } as const;
  readIn(registry, 'gauge', definition, async () => {
    const now = new Date(clock.now());
    const oldest = await messages.findOne(
      // A message that recipients can still join is not due for completion.
      { status: 'PROCESSING', $or: [{ openUntil: { $exists: false } }, { openUntil: { $lte: now } }] },
      { projection: { releasedAt: 1 }, sort: { releasedAt: 1 }, hint: UNFINISHED },
    );
    const releasedAt = oldest?.releasedAt?.getTime();
    return [{ value: releasedAt === undefined ? 0 : Math.max(0, now.getTime() - releasedAt) / 1000 }];
  });
}
