import type { Clock } from '@tidings/kernel';
import { readIn } from '@tidings/telemetry';
import { collectionOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import { SCHEDULED, UNFINISHED, messagesModel } from './storage/messages.schema.ts';

export function messageMetrics(registry: Registry, db: Db, clock: Clock): void {
  const messages = collectionOf(db, messagesModel);
  const secondsSince = (date: Date | undefined): number =>
    date === undefined ? 0 : Math.max(0, clock.now() - date.getTime()) / 1000;

  const due = {
    name: 'tidings_scheduler_oldest_due_seconds',
    help: 'For how long the oldest message that is not released has been due; 0 = none is due',
  } as const;
  readIn(registry, 'gauge', due, async () => {
    const oldest = await messages.findOne(
      // A message with a local time has no date: its steps wait for devices.
      { status: 'PENDING', sendAt: { $exists: true } },
      { projection: { sendAt: 1 }, sort: { sendAt: 1 }, hint: SCHEDULED },
    );
    return [{ value: secondsSince(oldest?.sendAt) }];
  });

  const unfinished = {
    name: 'tidings_scheduler_oldest_unfinished_seconds',
    help: 'For how long the oldest message that is not done has been released; 0 = all are done',
  } as const;
  readIn(registry, 'gauge', unfinished, async () => {
    const ended = await messages.findOne(
      { status: 'PROCESSING', 'steps.areComplete': true },
      { projection: { steps: 1 }, sort: { 'steps.until': 1 }, hint: UNFINISHED },
    );
    const oldest = await messages.findOne(
      {
        status: 'PROCESSING',
        steps: { $exists: false },
        $or: [{ openUntil: { $exists: false } }, { openUntil: { $lte: new Date(clock.now()) } }],
      },
      { projection: { releasedAt: 1 }, sort: { releasedAt: 1 }, hint: UNFINISHED },
    );
    return [{ value: Math.max(secondsSince(oldest?.releasedAt), secondsSince(ended?.steps?.until)) }];
  });
}
