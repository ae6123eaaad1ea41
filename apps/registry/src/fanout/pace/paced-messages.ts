import type { Collection, Db } from 'mongodb';
import { codeIn, OUTGOING, type OutgoingDocument } from '../release/outgoing-message.ts';

/** Messages with a send rate among which the accounts take turns. */
const READ = 1_000;
const PACED = { paced: { $exists: true }, releasedAt: { $exists: true } } as const;

/** Released messages with a send rate that are not settled. */
export class PacedMessages {
  readonly #messages: Collection<OutgoingDocument>;

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
    const options = { projection: { account: 1 }, limit: READ, hint: 'paced' };
    const found = await this.#messages.find(PACED, options).toArray();
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
}
