import { expect, it } from '@jest/globals';
import { UnknownOutcome } from '@tidings/mongo';
import fc from 'fast-check';
import type { CountingLogWriter } from './log-options.ts';
import type { DocumentAddress } from './event-log-port.ts';
import type { InsertOutcome, LogStore, RefusedWrite, StateWrite, StoredCommit } from './log-store.ts';
import { thingAt, type ThingCommand, type ThingReply, things } from './things.features.ts';
import { GroupingLogWriter } from './log-writer.ts';

type Outcome = 'well' | 'lost' | 'hidden' | 'late' | 'half' | 'diesBefore' | 'diesAfter';
const badOutcomes: readonly Outcome[] = ['lost', 'hidden', 'late', 'half', 'diesBefore', 'diesAfter'];

export interface CrashingStore {
  open(): LogStore;
  document(address: DocumentAddress): Promise<Record<string, unknown> | undefined>;
  events(log: string): Promise<readonly { readonly position: number; readonly events: readonly Uint8Array[] }[]>;
}

interface Round {
  readonly log: string;
  readonly ids: readonly string[];
  readonly outcome: Outcome;
  readonly at: 'commit' | 'states';
  readonly repeats: boolean;
}

const LOGS = ['things-0', 'things-1'];
const round = fc.record({
  log: fc.constantFrom(...LOGS),
  ids: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 8 }),
  outcome: fc.oneof({ weight: 2, arbitrary: fc.constant<Outcome>('well') }, fc.constantFrom(...badOutcomes)),
  at: fc.constantFrom('commit' as const, 'states' as const),
  repeats: fc.boolean(),
});

export function survivesCrashes(
  start: () => CrashingStore | Promise<CrashingStore>,
  numRuns: number,
  seed?: number,
): void {
  it('crashes lose nothing acknowledged, double nothing, leave no gaps and apply every state right', async () => {
    const scripts = fc.array(fc.array(round, { maxLength: 8 }), { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(scripts, async (writers) => {
        const store = await start();
        const landings: Promise<unknown>[] = [];
        const acknowledged = (
          await Promise.all(writers.map((rounds, i) => runWriter(store, `${i}`, rounds, landings)))
        ).flat();
        await Promise.all(landings);
        await check(store, acknowledged);
      }),
      { numRuns, ...(seed !== undefined && { seed }) },
    );
  });
}

async function runWriter(
  store: CrashingStore,
  name: string,
  rounds: readonly Round[],
  landings: Promise<unknown>[],
): Promise<string[]> {
  const acknowledged: string[] = [];
  const closing: Promise<void>[] = [];
  let process = startProcess(store, landings);
  for (const [number, { log, ids, outcome, at, repeats }] of rounds.entries()) {
    Object.assign(process, { outcome, at });
    const commands = ids.map((id, i): ThingCommand => ({
      kind: 'add',
      id: `${log}/${id}`,
      key: `${name}.${number}.${i}`,
      by: 1,
      blind: !repeats,
    }));
    const submitAll = async (): Promise<void> => {
      const { writer } = process;
      const replies = await Promise.allSettled(commands.map((command) => writer.submit(log, command)));
      replies.forEach(({ status }, i) => {
        if (status === 'fulfilled') acknowledged.push(`${name}.${number}.${i}`);
      });
    };
    await submitAll();
    if (process.dead) {
      closing.push(process.writer.close());
      process = startProcess(store, landings);
    }
    if (repeats) await submitAll();
  }
  await Promise.all([...closing, process.writer.close()]);
  return acknowledged;
}

interface Process {
  outcome: Outcome;
  at: Round['at'];
  dead: boolean;
  readonly writer: CountingLogWriter<ThingCommand, ThingReply>;
}

function startProcess(store: CrashingStore, landings: Promise<unknown>[]): Process {
  const options = { answerWithinMs: 40, repeatAfterMs: 0, applyEveryMs: 10, cacheBytes: 1 << 20 };
  const state = { outcome: 'well' as Outcome, at: 'commit' as Round['at'], dead: false };
  const inner = store.open();
  const take = (at: Round['at']): Outcome => {
    const outcome = state.at === at ? state.outcome : 'well';
    if (outcome === 'well') return outcome;
    state.outcome = 'well';
    return outcome;
  };
  const alive = <T>(work: () => Promise<T>): Promise<T> =>
    state.dead ? Promise.reject(new UnknownOutcome('dead')) : work();
  const land = (work: () => Promise<unknown>): void => void landings.push(new Promise(setImmediate).then(work));
  const insert = async (commits: readonly StoredCommit[]): Promise<readonly InsertOutcome[]> => {
    const outcomes = await inner.insert(commits);
    return outcomes.some(({ kind }) => kind === 'unknown') ? insert(commits) : outcomes;
  };
  const write = (writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]> =>
    inner.write(writes).catch((error: unknown) => {
      if (error instanceof UnknownOutcome) return write(writes);
      throw error;
    });

  const wrapped: LogStore = {
    heads: (logs) => alive(() => inner.heads(logs)),
    headsAfter: (log, limit) => alive(() => inner.headsAfter(log, limit)),
    raiseHeads: (heads) => alive(() => inner.raiseHeads(heads)),
    ahead: (heads) => alive(() => inner.ahead(heads)),
    commitsAfter: (log, position, limit) => alive(() => inner.commitsAfter(log, position, limit)),
    find: (collection, field, values) => alive(() => inner.find(collection, field, values)),
    readIndexes: (collections) => alive(() => inner.readIndexes(collections)),
    indexCheck: (collection) => inner.indexCheck(collection),
    quarantined: () => alive(() => inner.quarantined()),
    quarantine: (document) => alive(() => inner.quarantine(document)),
    release: (address) => alive(() => inner.release(address)),
    async insert(commits) {
      const unknown = commits.map((): InsertOutcome => ({ kind: 'unknown' }));
      if (state.dead) return unknown;
      const outcome = take('commit');
      if (outcome === 'late') land(() => insert(commits));
      state.dead ||= outcome === 'diesBefore' || outcome === 'diesAfter' || outcome === 'half';
      if (outcome === 'lost' || outcome === 'late' || outcome === 'diesBefore') return unknown;
      const outcomes = await insert(outcome === 'half' ? commits.slice(0, 1) : commits);
      return outcome === 'well' ? outcomes : unknown;
    },
    async write(writes) {
      if (state.dead) throw new UnknownOutcome('dead');
      const outcome = take('states');
      state.dead ||= outcome === 'diesBefore' || outcome === 'diesAfter' || outcome === 'half';
      if (outcome === 'late') land(() => write(writes));
      if (outcome === 'lost' || outcome === 'late' || outcome === 'diesBefore') throw new UnknownOutcome(outcome);
      const refused = await write(outcome === 'half' ? writes.slice(0, Math.ceil(writes.length / 2)) : writes);
      if (outcome !== 'well') throw new UnknownOutcome(outcome);
      return refused;
    },
  };
  return Object.assign(state, { writer: new GroupingLogWriter(things, wrapped, options) });
}

async function check(store: CrashingStore, acknowledged: readonly string[]): Promise<void> {
  const last = new GroupingLogWriter(things, store.open(), {});
  await last.applyCommits();
  await last.close();
  const seen: string[] = [];
  for (const log of LOGS) {
    const commits = await store.events(log);
    expect(commits.map(({ position }) => position)).toEqual(commits.map((_, i) => i + 1));
    const keysById = new Map<string, string[]>();
    for (const event of commits.flatMap(({ events }) => events.map((bytes) => things.decode(bytes)))) {
      if (event.kind !== 'added') continue;
      keysById.set(event.id, [...(keysById.get(event.id) ?? []), event.key]);
      seen.push(event.key);
    }
    for (const [id, keys] of keysById) {
      expect(await store.document(thingAt(id))).toMatchObject({ count: keys.length, keys });
    }
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(acknowledged.filter((key) => !seen.includes(key))).toEqual([]);
}
