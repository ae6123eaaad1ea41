import { codeIn, OUTGOING, type OutgoingDocument } from '@tidings/registry-store';
import type { Collection, Db, Filter } from 'mongodb';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 10;
const PACED = { paced: { $exists: true }, releasedAt: { $exists: true } } as const;

type PacedDocument = Pick<OutgoingDocument, '_id' | 'account' | 'releasedAt' | 'stopped'>;

export interface PacedMessage {
  readonly code: string;
  /** The message has one document, or one for each step. */
  readonly ids: readonly string[];
  readonly isStopped: boolean;
}

type IsPaused = (message: Pick<PacedMessage, 'code' | 'isStopped'>) => boolean;

export class PacedMessages {
  readonly #messages: Collection<OutgoingDocument>;
  #next: string | undefined;

  constructor(db: Db) {
    this.#messages = db.collection<OutgoingDocument>(OUTGOING);
  }

  async hasAny(): Promise<boolean> {
    return (await this.#messages.findOne(PACED, { projection: { _id: 1 }, hint: 'paced' })) !== null;
  }

  async nextByAccount(limit: number, isPaused: IsPaused = () => false): Promise<PacedMessage[]> {
    const found = await this.#ofAllAccounts();
    const messages = [...Map.groupBy(found, ({ _id }) => codeIn(_id))].flatMap(([code, steps]) => {
      const isStopped = steps.some(({ stopped }) => stopped === true);
      if (isPaused({ code, isStopped })) return [];
      return [{ code, isStopped, account: steps[0]!.account, ids: steps.map(({ _id }) => _id) }];
    });
    const accounts = [...Map.groupBy(messages, ({ account }) => account).values()];
    const rounds = Math.max(0, ...accounts.map(({ length }) => length));
    const byRound = Array.from({ length: rounds }, (_, round) => accounts.flatMap((own) => own[round] ?? []));
    return byRound.flat().slice(0, limit);
  }

  /** One account with many messages must not hide those of others. */
  async #ofAllAccounts(): Promise<PacedDocument[]> {
    const found: PacedDocument[] = [];
    let from: Filter<OutgoingDocument> = this.#next === undefined ? {} : { account: { $gte: this.#next } };
    this.#next = undefined;
    for (let reads = 0; reads < MAX_PAGES; reads++) {
      const page = await this.#page(from);
      const last = page.at(-1)?.account;
      // It may go on behind a full page, so it is read again.
      const completeAccounts = page.length < PAGE_SIZE ? page : page.filter(({ account }) => account !== last);
      const isOneAccount = completeAccounts.length === 0;
      found.push(...(isOneAccount ? page : completeAccounts));
      if (last === undefined || page.length < PAGE_SIZE) break;
      from = { account: isOneAccount ? { $gt: last } : { $gte: last } };
      if (reads === MAX_PAGES - 1) this.#next = last;
    }
    return found.toSorted((a, b) => a.releasedAt!.getTime() - b.releasedAt!.getTime());
  }

  #page(from: Filter<OutgoingDocument>): Promise<PacedDocument[]> {
    const projection = { account: 1, releasedAt: 1, stopped: 1 };
    return this.#messages
      .find({ ...PACED, ...from }, { projection, limit: PAGE_SIZE, hint: 'pacedByAccount' })
      .sort({ account: 1, releasedAt: 1 })
      .toArray();
  }
}
