import { idsBelow } from '@tidings/delivery';
import { type CommitRedaction, type LogWriter, openRedaction, type IndexedEvent } from '@tidings/event-store';
import type { MessageEvent } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import { purgedContent } from '@tidings/messaging';
import type { DeletionsOptions } from '@tidings/service/deletions';
import { collectionOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { Completion } from './completion.ts';
import type { StoredMessage } from './list.ts';
import { LOGS, logOfMessage, type MessageCommand, type MessageReply, messagesLog } from './message-log.ts';
import { activitiesModel, progressModel, joinsModel, linksModel, messagesModel } from './storage/messages.schema.ts';

export interface MessagePurgeDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, MessageReply>;
  readonly completion: Pick<Completion, 'closeComplete'>;
}

const AT_ONCE = 200;
const COMMITS_AT_ONCE = 500;
/** No process can accept a message of the application by then. */
const REDACTION_ROUND = 1;

export function messagePurge(deps: MessagePurgeDeps): DeletionsOptions['purge'] {
  const { db, clock, writer, completion } = deps;
  const messages = collectionOf(db, messagesModel);
  const commits = openRedaction(db, messagesLog);

  const removeDerived = async (codes: readonly string[]): Promise<void> => {
    const _id = { $in: [...codes] };
    await collectionOf(db, linksModel).deleteMany({ message: _id });
    await collectionOf(db, progressModel).deleteMany({ _id });
    const joins = codes.map((code) => ({ deleteMany: { filter: { _id: idsBelow(code) } } }));
    if (joins.length > 0) await collectionOf(db, joinsModel).bulkWrite(joins, { ordered: false });
  };

  return async function* ({ account, application, round }) {
    const ofApplication = { account, apps: application };
    for (;;) {
      const found = await messages.find(ofApplication).project<StoredMessage>({ apps: 1 }).limit(AT_ONCE).toArray();
      const [whole, shared] = [
        found.filter(({ apps }) => apps.every((each) => each === application)).map(({ _id }) => _id),
        found.filter(({ apps }) => apps.some((each) => each !== application)).map(({ _id }) => _id),
      ];
      // A purged message is not found again, so its data goes first; joins may add more.
      await removeDerived(whole);
      const at = new Date(clock.now());
      await Promise.all(
        found.map(({ _id: code }) => writer.submit(logOfMessage(code), { kind: 'purge', code, application, at })),
      );
      await removeDerived(whole);
      await completion.closeComplete(shared);
      if (found.length < AT_ONCE) break;
      yield;
    }
    await collectionOf(db, activitiesModel).deleteMany({ app: application });
    await collectionOf(db, joinsModel).deleteMany({ _id: idsBelow(`visits-${application}`) });
    if (round === REDACTION_ROUND) yield* redactCommits(db, commits, application);
  };
}

async function* redactCommits(
  db: Db,
  commits: CommitRedaction<MessageEvent>,
  application: string,
): AsyncGenerator<void> {
  for (let digit = 0; digit < LOGS; digit++) {
    const log = logOfMessage(digit.toString(LOGS).toUpperCase());
    for (let after = 0; ;) {
      const { last, marked } = await commits.markedAfter(log, after, application, COMMITS_AT_ONCE);
      if (last === undefined) break;
      const isPurged = await purgedAmong(
        db,
        marked.flatMap(({ events }) => events.map(({ event }) => event.code)),
      );
      await commits.replace(
        marked.map(({ events, ...place }) => ({
          ...place,
          events: events.filter(({ event }) => isPurged(event.code)).flatMap(withoutContent),
        })),
      );
      after = last;
      yield;
    }
  }
}

async function purgedAmong(db: Db, codes: readonly string[]): Promise<(code: string) => boolean> {
  if (codes.length === 0) return () => false;
  const unpurged = { _id: { $in: [...new Set(codes)] }, purgedAt: { $exists: false } };
  const found = await collectionOf(db, messagesModel)
    .find(unpurged, { projection: { _id: 1 } })
    .toArray();
  const unpurgedCodes = new Set(found.map(({ _id }) => _id));
  return (code) => !unpurgedCodes.has(code);
}

function withoutContent({ index, event }: IndexedEvent<MessageEvent>): IndexedEvent<MessageEvent>[] {
  switch (event.event?.$case) {
    case 'accepted': {
      const value = purgedContent(event.event.value);
      return [{ index, event: { ...event, event: { $case: 'accepted', value } } }];
    }
    case 'joined': {
      const { message, ...joined } = event.event.value;
      const value = { ...joined, message: message && purgedContent(message) };
      return [{ index, event: { ...event, event: { $case: 'joined', value } } }];
    }
    default:
      return [];
  }
}
