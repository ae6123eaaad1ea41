import { type KeyObject, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { keyedId } from '@tidings/audience';
import { sharedReads } from '@tidings/coordination';
import { type Clock, Fault } from '@tidings/kernel';
import { type Created, repeatOf, type Transaction } from '@tidings/messaging';
import { isTransient, modelOf, releaseAll, reserve } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { transactionsModel } from '../messages/storage/messages.schema.ts';
import { RESERVATIONS } from '../messages/storage/retention.ts';

/** Longer than an acceptance takes. */
const RESERVED_MS = 15_000;
const POLL_INTERVAL_MS = 50;

export type Repeats = ReadonlyMap<string, Created>;

export interface Transactions {
  readonly keyOf: (account: string, transactionId: string) => string;
  /** Requests that share a key run in turn in this process. */
  readonly exclusively: <Answer>(
    keys: readonly string[],
    accept: (repeats: Repeats) => Promise<Answer>,
  ) => Promise<Answer>;
  /** Waits for another process's message. @throws Fault `unavailable` after the deadline */
  readonly reserve: (keys: readonly string[], deadline: number) => Promise<ReservedKeys>;
}

export interface ReservedKeys {
  readonly repeats: Repeats;
  readonly release: () => Promise<void>;
}

const NOTHING: ReservedKeys = { repeats: new Map(), release: async () => undefined };

export function openTransactions(db: Db, clock: Clock, key: KeyObject): Transactions {
  const model = modelOf(db, transactionsModel);
  const storedOf = sharedReads(
    async (keys: readonly string[]) => {
      const stored = await model.find({ _id: { $in: [...keys] } }).lean<(Transaction & { _id: string })[]>();
      return new Map(stored.map((transaction) => [transaction._id, transaction]));
    },
    { mayBeOneItem: (error) => !isTransient(error) },
  );
  const repeatsOf = async (keys: readonly string[]): Promise<Repeats> => {
    if (keys.length === 0) return new Map();
    const stored = await storedOf([...keys]);
    const at = new Date(clock.now());
    const repeats = keys.map((each) => [each, repeatOf(stored.get(each), at)] as const);
    return new Map(repeats.flatMap(([each, repeat]) => (repeat ? [[each, repeat] as const] : [])));
  };

  const last = new Map<string, Promise<unknown>>();

  /** Names are reserved in one order, so that no two requests wait for each other. */
  const reserveAll = async (names: readonly string[], owner: string): Promise<boolean> => {
    for (const each of names.toSorted()) {
      if (!(await reserve(db, each, { owner, clock, lengthMs: RESERVED_MS }))) return false;
    }
    return true;
  };

  return {
    keyOf: (account, id) => (id === '' ? '' : keyedId(key, account, id)),

    async exclusively(keys, accept) {
      const earlier = Promise.allSettled(keys.flatMap((each) => last.get(each) ?? []));
      const answer = keys.length === 0 ? accept(new Map()) : earlier.then(async () => accept(await repeatsOf(keys)));
      for (const each of keys) last.set(each, answer);
      try {
        return await answer;
      } finally {
        for (const each of keys) if (last.get(each) === answer) last.delete(each);
      }
    },

    async reserve(keys, deadline) {
      if (keys.length === 0) return NOTHING;
      const owner = randomUUID();
      for (;;) {
        const repeats = await repeatsOf(keys);
        const names = keys.filter((each) => !repeats.has(each)).map((each) => `${RESERVATIONS}${each}`);
        if (await reserveAll(names, owner)) {
          // An earlier holder may have created its message since the query.
          return { repeats: await repeatsOf(keys), release: () => releaseAll(db, names, owner) };
        }
        if (performance.now() >= deadline) {
          await releaseAll(db, names, owner);
          throw new Fault('unavailable', 'Not served in time', { effect: 'none' });
        }
        await delay(POLL_INTERVAL_MS);
      }
    },
  };
}
