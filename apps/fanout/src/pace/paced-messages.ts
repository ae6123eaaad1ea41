import { codeIn, OUTGOING, type OutgoingDocument } from '@tidings/registry-store';
import type { Collection, Db, Filter } from 'mongodb';

/** Messages and steps of a read. Of an account that has more, the oldest ones are read; the others follow when these are settled. */
const READ = 1_000;
/** Maximum number of reads: most looks need one, and each account with more messages than a read needs another one. */
const READS_MAX = 10;
const PACED = { paced: { $exists: true }, releasedAt: { $exists: true } } as const;

type PacedDocument = Pick<OutgoingDocument, '_id' | 'account' | 'releasedAt'>;

/** Released messages with a send rate that are not settled. */
export class PacedMessages {
  readonly #messages: Collection<OutgoingDocument>;
  /** The account with which the next reads begin, if the last ones did not reach all. */
  #next: string | undefined;

  constructor(db: Db) {
    this.#messages = db.collection<OutgoingDocument>(OUTGOING);
  }

  async hasAny(): Promise<boolean> {
    return (await this.#messages.findOne(PACED, { projection: { _id: 1 }, hint: 'paced' })) !== null;
  }

  /**
   * Their ids (of `sendIdOf`), of at most `limit` messages with all steps of each: the accounts take turns, each with its oldest ones.
   * @param isPaused whether a message is left out now. @default none
   */
  async inTurn(limit: number, isPaused: (code: string) => boolean = () => false): Promise<string[]> {
    const found = await this.#ofAllAccounts();
    const messages = [...Map.groupBy(found, ({ _id }) => codeIn(_id))].flatMap(([code, steps]) =>
      isPaused(code) ? [] : [{ account: steps[0]!.account, ids: steps.map(({ _id }) => _id) }],
    );
    const accounts = [...Map.groupBy(messages, ({ account }) => account).values()];
    const rounds = Math.max(0, ...accounts.map(({ length }) => length));
    const byRound = Array.from({ length: rounds }, (_, round) => accounts.flatMap((own) => own[round] ?? []));
    return byRound
      .flat()
      .slice(0, limit)
      .flatMap(({ ids }) => ids);
  }

  /** The oldest ones first. An account with many of them must not hide those of others, so the reads go by account. */
  async #ofAllAccounts(): Promise<PacedDocument[]> {
    const found: PacedDocument[] = [];
    let from: Filter<OutgoingDocument> = this.#next === undefined ? {} : { account: { $gte: this.#next } };
    this.#next = undefined;
    for (let reads = 0; reads < READS_MAX; reads++) {
      const page = await this.#page(from);
      const last = page.at(-1)?.account;
      // The last account of a full page may go on behind it: it is read again, from its oldest message.
      const whole = page.length < READ ? page : page.filter(({ account }) => account !== last);
      const isOfOne = whole.length === 0;
      found.push(...(isOfOne ? page : whole));
      if (last === undefined || page.length < READ) break;
      from = { account: isOfOne ? { $gt: last } : { $gte: last } };
      if (reads === READS_MAX - 1) this.#next = last;
    }
    return found.toSorted((a, b) => a.releasedAt!.getTime() - b.releasedAt!.getTime());
  }

  #page(from: Filter<OutgoingDocument>): Promise<PacedDocument[]> {
    const projection = { account: 1, releasedAt: 1 };
    return this.#messages
      .find({ ...PACED, ...from }, { projection, limit: READ, hint: 'pacedByAccount' })
      .sort({ account: 1, releasedAt: 1 })
      .toArray();
  }
}
