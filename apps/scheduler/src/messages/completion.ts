import type { LogWriter } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import type { Created } from '@tidings/messaging';
import { type Collection, type Db, MongoServerError } from 'mongodb';
import type { StoredMessage } from './list.ts';
import { logOfMessage, type MessageCommand, MESSAGES } from './log.ts';
import {
  advance,
  isComplete,
  noProgress,
  type Progress,
  type ProgressDocument,
  progressDocument,
  progressOf,
} from './progress.ts';

type StoredProgress = ProgressDocument & { readonly _id: string; readonly rev: number };

const DUPLICATE_KEY = 11000;

export interface CompletionParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, Created | undefined>;
}

/** Counts settled chunks and closes the messages that have no open one left (sending 2). Repeats change nothing. */
export function completionOf({ db, clock, writer }: CompletionParts): (events: readonly PlanEvent[]) => Promise<void> {
  const progress = db.collection<StoredProgress>('progress');
  const messages = db.collection<StoredMessage>(MESSAGES);

  return async (events) => {
    const byMessage = Map.groupBy(
      events.filter(({ event }) => event?.$case === 'fanout' || event?.$case === 'settled'),
      ({ message }) => message,
    );
    const open = await messages.find({ _id: { $in: [...byMessage.keys()] }, status: { $ne: 'DONE' } }).toArray();
    const folded = open.map(async ({ _id: code, apps }) => {
      const state = await fold(progress, code, byMessage.get(code)!);
      return isComplete(state, apps) ? [code] : [];
    });
    const completed = (await Promise.all(folded)).flat();
    await Promise.all(
      completed.map((code) => writer.submit(logOfMessage(code), { kind: 'complete', code, at: new Date(clock.now()) })),
    );
    if (completed.length > 0) await progress.deleteMany({ _id: { $in: completed } });
  };
}

/** Folds the events into the message's progress by compare-and-set. */
async function fold(
  progress: Collection<StoredProgress>,
  code: string,
  events: readonly PlanEvent[],
): Promise<Progress> {
  for (;;) {
    const stored = await progress.findOne({ _id: code });
    const state = events.reduce(advance, stored ? progressOf(stored) : noProgress);
    const rev = stored?.rev ?? 0;
    try {
      const update = { $set: { ...progressDocument(state), rev: rev + 1 } };
      await progress.updateOne({ _id: code, rev: rev === 0 ? { $exists: false } : rev }, update, { upsert: true });
      return state;
    } catch (error) {
      // The upsert met the _id: another consumer of this topic was quicker.
      if (!(error instanceof MongoServerError && error.code === DUPLICATE_KEY)) throw error;
    }
  }
}
