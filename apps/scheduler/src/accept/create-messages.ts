import { randomInt } from 'node:crypto';
import type { LogWriter } from '@tidings/event-store';
import { bucketOf, type Clock, Fault, newMessageCode } from '@tidings/kernel';
import { type Created, MessageRefused } from '@tidings/messaging';
import type { Db } from 'mongodb';
import { LOGS, logOfMessage, type MessageCommand, type MessageReply } from '../messages/message-log.ts';
import { shortened, shortenedActions } from '../messages/short-link.ts';
import type { CompleteMessage } from './accepted-message.ts';
import { refuseActivities, type ActivityKey, type InActivity } from './activities.ts';
import type { Entry } from './entry.ts';

export interface CreationDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, MessageReply>;
  readonly nextId: () => number;
  readonly activityKey: ActivityKey;
  readonly publicUrl: string;
}

export interface ToCreate extends Pick<Entry, 'notification' | 'transaction'> {
  readonly message: CompleteMessage;
  readonly isActivityKnown: boolean;
}

export interface CreateMessages {
  /** The log decides again: another request may close an activity meanwhile (R-I1). */
  readonly refuse: (account: string, messages: readonly ToCreate[]) => Promise<void>;
  /** The second message of one transactionId is a repeat (R-I10). */
  readonly create: (account: string, messages: readonly ToCreate[]) => Promise<Created[]>;
}

export function createMessages({ db, clock, writer, nextId, activityKey, publicUrl }: CreationDeps): CreateMessages {
  const inActivity = (account: string, { notification, message: { accepted }, isActivityKnown }: ToCreate) => {
    const activity = activityKey(account, accepted);
    return activity === undefined ? undefined : { notification, draft: accepted, activity, isKnown: isActivityKnown };
  };

  const commandOf = (account: string, message: ToCreate, live: InActivity | undefined) => {
    const common = { id: nextId(), account, at: new Date(clock.now()) };
    if (live) {
      const code = newMessageCode(bucketOf(live.activity, LOGS));
      return { code, command: { kind: 'createInActivity' as const, create: { ...live, ...common, code } } };
    }
    const { transaction, message: complete } = message;
    const code = newMessageCode(transaction === '' ? randomInt(LOGS) : bucketOf(transaction, LOGS));
    const linked = shortened({ ...complete.accepted, transaction }, complete.linkToShorten, publicUrl);
    const draft = shortenedActions(linked, complete.actionsToShorten, publicUrl);
    return { code, command: { kind: 'create' as const, create: { ...common, code, draft } } };
  };

  const createOne = async (account: string, message: ToCreate): Promise<Created> => {
    const { code, command } = commandOf(account, message, inActivity(account, message));
    const created = await writer.submit(logOfMessage(code), command);
    if (!created || 'status' in created) throw Fault.bug('a creation without a reply');
    if (!('refusal' in created)) return created;
    const { notification } = message;
    throw new MessageRefused({ notification, reason: created.refusal, field: 'liveActivity' });
  };

  return {
    refuse: (account, messages) =>
      refuseActivities(
        db,
        messages.flatMap((message) => inActivity(account, message) ?? []),
        new Date(clock.now()),
      ),
    create: (account, messages) => Promise.all(messages.map((message) => createOne(account, message))),
  };
}
