import type { LogWriter } from '@tidings/event-store';
import type { Clock } from '@tidings/kernel';
import { collectionOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { StoredMessage } from './list.ts';
import { logOfMessage, type MessageCommand, type MessageReply } from './message-log.ts';
import { messagesModel, SCHEDULED } from './storage/messages.schema.ts';

export interface ScheduleDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, MessageReply>;
  readonly nextId: () => number;
}

const AT_ONCE = 500;

/** Several processes may run it: the log releases a message once. */
export class Schedule {
  readonly #deps: ScheduleDeps;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  async releaseDue(signal?: AbortSignal): Promise<void> {
    const failed: unknown[] = [];
    let batch: string[] = [];
    const release = async (): Promise<void> => {
      const { writer, clock, nextId } = this.#deps;
      const at = new Date(clock.now());
      const released = batch.map((code) => {
        const command = { kind: 'release', code, at, inboxOrder: BigInt(nextId()) } as const;
        return writer.submit(logOfMessage(code), command);
      });
      batch = [];
      for (const each of await Promise.allSettled(released)) if (each.status === 'rejected') failed.push(each.reason);
    };
    for await (const { _id } of this.#due()) {
      batch.push(_id);
      if (batch.length === AT_ONCE) await release();
      if (signal?.aborted) break;
    }
    await release();
    if (failed.length > 0) throw new AggregateError(failed, `${failed.length} messages were not released`);
  }

  async hasDue(): Promise<boolean> {
    return (await this.#due().limit(1).toArray()).length > 0;
  }

  #due() {
    const { db, clock } = this.#deps;
    return collectionOf(db, messagesModel)
      .find({ status: 'PENDING', sendAt: { $lte: new Date(clock.now()) } }, { hint: SCHEDULED })
      .sort({ sendAt: 1 })
      .project<Pick<StoredMessage, '_id'>>({ _id: 1 });
  }
}
