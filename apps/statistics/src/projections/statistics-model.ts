import { sharedWrites } from '@tidings/coordination';
import type { MessageEvent } from '@tidings/events';
import { isTransient } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { isCounted, type MessageFactsStore, openMessageFacts, purgedShares } from '../message-facts.ts';
import { changesOfReports, type ReportsOfChunk } from '../report-changes.ts';
import type { Change } from '../stages.ts';
import { openStageStore, type StageStore } from '../stage-store.ts';

const CHANGES_PER_WRITE = 200;
const EXPIRED_AT_ONCE = 100;

export interface StatisticsFacts {
  readonly events: readonly MessageEvent[];
  readonly own: readonly Change[];
  readonly reported: readonly ReportsOfChunk[];
}

export interface StatisticsModel {
  readonly stages: StageStore;
  readonly messageFacts: MessageFactsStore;
  apply(facts: StatisticsFacts, now: Date, createdAt?: Date): Promise<void>;
  expire(now: Date, signal: AbortSignal): Promise<void>;
}

export function openStatisticsModel(db: Db, generation: number): StatisticsModel {
  const stages = openStageStore(db, generation);
  const messageFacts = openMessageFacts(db, generation);
  const applyOwn = sharedWrites(
    (changes: readonly { readonly change: Change; readonly at: Date }[]) =>
      stages.apply(
        changes.map(({ change }) => change),
        () => undefined,
        changes[0]!.at,
      ),
    { maxItems: CHANGES_PER_WRITE, mayBeOneItem: (error) => !isTransient(error) },
  );
  return {
    stages,
    messageFacts,
    async apply({ events, own, reported }, now, createdAt = now) {
      if (events.length > 0) await messageFacts.apply(events);
      await stages.forgetShares(purgedShares(events));
      const { windowEndOf, expiryOf } = await messageFacts.reportTimes(reported.map(({ of }) => of.message));
      await applyOwn(own.map((change) => ({ change, at: createdAt })));
      const counted = reported.filter(({ of }) => isCounted(expiryOf(of.message), now, true));
      const changes = changesOfReports(counted, windowEndOf);
      if (changes.length > 0) await stages.apply(changes, windowEndOf, createdAt);
    },
    async expire(now, signal) {
      for (let more = true; more && !signal.aborted;) {
        const [expired, removable] = [
          await messageFacts.expired(now, EXPIRED_AT_ONCE),
          await messageFacts.removable(now, EXPIRED_AT_ONCE),
        ];
        await stages.forget([...expired, ...removable]);
        await messageFacts.removed(expired, now);
        await messageFacts.forget(removable);
        more = expired.length + removable.length > 0;
      }
      await stages.removeOrphans(now);
    },
  };
}
