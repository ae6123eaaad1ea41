import type { LogWriter } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import { type Clock, Fault } from '@tidings/kernel';
import type { Created } from '@tidings/messaging';
import { project, type ProjectedDocument } from '@tidings/projecting';
import type { Db } from 'mongodb';
import type { StoredMessage } from './list.ts';
import { logOfMessage, type MessageCommand, MESSAGES } from './log.ts';
import { advance, isComplete, noProgress, type ProgressDocument, progressDocument, progressOf } from './progress.ts';

export interface CompletionParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, Created | undefined>;
}

/** A message whose facts are older, and which is not there, has been removed: what is committed is folded within seconds. */
const FOLDED_WITHIN_MS = 3_600_000;

/**
 * Counts settled chunks and closes the messages that have no open one left (sending 2). Repeats change nothing.
 * @throws Fault `unavailable` where a message is not folded into its state yet: facts about it may be quicker, and must not be lost.
 */
export function completionOf({ db, clock, writer }: CompletionParts): (events: readonly PlanEvent[]) => Promise<void> {
  const progress = db.collection<ProjectedDocument>('progress');
  const messages = db.collection<StoredMessage>(MESSAGES);

  return async (events) => {
    const byMessage = Map.groupBy(
      events.filter(({ event }) => event?.$case === 'fanout' || event?.$case === 'settled'),
      ({ message }) => message,
    );
    const known = await messages
      .find({ _id: { $in: [...byMessage.keys()] } })
      .project<Pick<StoredMessage, '_id' | 'apps' | 'status'>>({ apps: 1, status: 1 })
      .toArray();
    const open = known.filter(({ status }) => status !== 'DONE');
    const counted = open.flatMap(({ _id }) => byMessage.get(_id) ?? []);
    const stored = await project(progress, counted, {
      idOf: ({ message }) => message,
      fold: (document, facts) =>
        progressDocument(facts.reduce(advance, document ? progressOf(document as ProgressDocument) : noProgress)),
    });
    const completed = open
      .filter(({ _id, apps }) => isComplete(progressOf(stored.get(_id) as ProgressDocument), apps))
      .map(({ _id }) => _id);
    await Promise.all(
      completed.map((code) => writer.submit(logOfMessage(code), { kind: 'complete', code, at: new Date(clock.now()) })),
    );
    if (completed.length > 0) await progress.deleteMany({ _id: { $in: completed } });
    for (const { _id } of known) byMessage.delete(_id);
    const foldedBefore = clock.now() - FOLDED_WITHIN_MS;
    const isYetToCome = ({ at }: PlanEvent): boolean => at!.getTime() > foldedBefore;
    if ([...byMessage.values()].flat().some(isYetToCome)) throw Fault.unavailable('a message is not written yet');
  };
}
