import { every, type Periodic } from '@tidings/coordination';
import type { LogWriter } from '@tidings/event-store';
import type { Clock } from '@tidings/kernel';
import { collectionOf } from '@tidings/mongo';
import type { MessageEvent } from '@tidings/events';
import type { Logger } from '@tidings/runtime';
import type { Db } from 'mongodb';
import type { StoredMessage } from './list.ts';
import { logOfMessage, type MessageCommand, type MessageReply } from './message-log.ts';
import { messagesModel, SCHEDULED } from './storage/messages.schema.ts';

export interface ScheduleDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly writer: LogWriter<MessageCommand, MessageReply>;
  readonly nextId: () => number;
}

const AT_ONCE = 500;

const EVERY_MS = 5_000;
/** An accepted message is found once its state is stored. */
const STORED_MS = 250;

/** Several processes may run it: the log releases a message once. */
export class Schedule {
  readonly #deps: ScheduleDeps;
  readonly #releases: Periodic;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    const name = 'release of messages';
    this.#releases = every(EVERY_MS, (signal) => this.releaseDue(signal), { name, log, clock });
  }

  accepted(events: readonly MessageEvent[]): void {
    for (const { event } of events) {
      const sendAt = event?.$case === 'accepted' ? event.value.sendAt?.getTime() : undefined;
      const waitMs = (sendAt ?? -Infinity) - this.#deps.clock.now();
      if (waitMs > 0) this.#releases.within(Math.max(STORED_MS, waitMs));
    }
  }

  stop(): Promise<void> {
    return this.#releases.stop();
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
    for await (const { _id, sendAt } of this.#due(EVERY_MS)) {
      const waitMs = sendAt!.getTime() - this.#deps.clock.now();
      if (waitMs > 0) {
        this.#releases.within(waitMs);
        break;
      }
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

  #due(aheadMs = 0) {
    const { db, clock } = this.#deps;
    return collectionOf(db, messagesModel)
      .find({ status: 'PENDING', sendAt: { $lte: new Date(clock.now() + aheadMs) } }, { hint: SCHEDULED })
      .sort({ sendAt: 1 })
      .project<Pick<StoredMessage, '_id' | 'sendAt'>>({ sendAt: 1 });
  }
}
