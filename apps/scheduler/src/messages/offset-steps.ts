import type { LogWriter } from '@tidings/event-store';
import { type Clock, Fault } from '@tidings/kernel';
import { areNone, nextDue, offsetsDue, openSchedule, stepDue } from '@tidings/messaging';
import { collectionOf } from '@tidings/mongo';
import type { RecipientsFound, Segments } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { StoredMessage } from './list.ts';
import { messageOf } from './message-document.ts';
import { logOfMessage, type MessageCommand, type MessageReply } from './message-log.ts';
import { messagesModel, STEPS } from './storage/messages.schema.ts';

export interface OffsetStepsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, MessageReply>;
  readonly segments: Pick<Segments, 'hasRecipients'>;
  readonly nextId: () => number;
}

/** Each may hold 2 MiB. */
const AT_ONCE = 20;
/** New devices may be due at an offset whose time has passed. */
const RECHECK_MS = 60_000;

type Due = Pick<StoredMessage, '_id'> & { readonly stepAt: Date };

type OpenSteps = NonNullable<ReturnType<typeof openStepsOf>>;

function openStepsOf(stored: StoredMessage, at: Date) {
  const message = messageOf(stored);
  const schedule = openSchedule(message);
  if (!schedule) return undefined;
  const due = offsetsDue(schedule, schedule.steps.until, at);
  const later = offsetsDue(schedule, at, undefined);
  const { applications, audience, content } = message.accepted;
  const query = { applications, audience, withoutToken: content?.inbox !== undefined, among: [due, later] };
  return { code: message.code, schedule, query };
}

/** Several processes may run it: the log releases a step once (R-I9). */
export class OffsetSteps {
  readonly #deps: OffsetStepsDeps;
  readonly #nextCheck = new Map<string, number>();

  constructor(deps: OffsetStepsDeps) {
    this.#deps = deps;
  }

  /** @throws AggregateError of what failed */
  async releaseDue(signal?: AbortSignal): Promise<void> {
    const failed: unknown[] = [];
    const codes = await this.#due();
    for (let i = 0; i < codes.length && !signal?.aborted; i += AT_ONCE) {
      await this.#release(codes.slice(i, i + AT_ONCE), failed);
    }
    if (failed.length > 0) throw new AggregateError(failed, `${failed.length} steps were not released`);
  }

  async hasDue(): Promise<boolean> {
    return (await this.#due()).length > 0;
  }

  async #due(): Promise<string[]> {
    const now = this.#deps.clock.now();
    const found = await this.#messages
      .find({ stepAt: { $lte: new Date(now) } }, { hint: STEPS })
      .project<Due>({ stepAt: 1 })
      .toArray();
    const open = new Set(found.map(({ _id }) => _id));
    for (const code of this.#nextCheck.keys()) if (!open.has(code)) this.#nextCheck.delete(code);
    return found.filter(({ _id }) => (this.#nextCheck.get(_id) ?? 0) <= now).map(({ _id }) => _id);
  }

  async #release(codes: readonly string[], failed: unknown[]): Promise<void> {
    const at = new Date(this.#deps.clock.now());
    const stored = await this.#messages.find({ _id: { $in: [...codes] } }).toArray();
    const messages = stored
      .map((each) => openStepsOf(each as unknown as StoredMessage, at))
      .filter((each) => each !== undefined);
    const queried = messages.filter(({ query }) => !query.among.every(areNone));
    const { found } =
      queried.length === 0
        ? { found: [] }
        : await this.#deps.segments.hasRecipients({ queries: queried.map(({ query }) => query) });
    const foundOf = new Map(queried.map(({ code }, i) => [code, found[i]]));
    const steps = messages.map((message) => this.#step(message, foundOf.get(message.code), at));
    for (const each of await Promise.allSettled(steps)) if (each.status === 'rejected') failed.push(each.reason);
  }

  async #step({ code, schedule }: OpenSteps, found: RecipientsFound | undefined, at: Date): Promise<void> {
    if (found && found.among.length !== 2) throw Fault.bug('the registry did not answer for all offsets');
    const [now = false, later = false] = found?.among ?? [];
    const due = stepDue(schedule, { now, later }, at);
    const nextCheck = nextDue(schedule, at)?.getTime() ?? at.getTime() + RECHECK_MS;
    if (due) {
      const { writer, nextId } = this.#deps;
      const inboxOrders = [BigInt(nextId()), BigInt(nextId())] as const;
      const step = { code, at, after: schedule.steps.count, inboxOrders, ...due };
      await writer.submit(logOfMessage(code), { kind: 'step', step });
    }
    this.#nextCheck.set(code, nextCheck);
  }

  get #messages() {
    return collectionOf(this.#deps.db, messagesModel);
  }
}
