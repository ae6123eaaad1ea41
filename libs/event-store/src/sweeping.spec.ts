import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { UnknownOutcome } from '@tidings/mongo';
import { until } from '@tidings/testing';
import { MemoryLogStore } from './memory/memory-logs.ts';
import { MemoryStore } from './memory/memory-store.ts';
import type { Problem } from './problems.ts';
import type { Head, Quarantined } from './log-store.ts';
import { things } from './things.features.ts';
import { GroupingLogWriter } from './log-writer.ts';

class SlowStart extends MemoryLogStore {
  checks = 0;
  reads = 0;
  readonly #failures: readonly Error[];

  constructor(failures: readonly Error[]) {
    super(new MemoryStore(), things);
    this.#failures = failures;
  }

  override async headsAfter(log: string, limit: number): Promise<readonly Head[]> {
    const failure = this.#failures[this.checks++];
    if (failure) throw failure;
    return super.headsAfter(log, limit);
  }

  override async quarantined(): Promise<readonly Quarantined[]> {
    this.reads++;
    return super.quarantined();
  }
}

const slow = new UnknownOutcome('no answer within 2000 ms');

describe('the first check of all logs at the start of a service', () => {
  it('is repeated while the store does not answer: a start waits for a busy server', async () => {
    const store = new SlowStart([slow, slow, slow]);
    const writer = new GroupingLogWriter(things, store, {});
    await writer.applyCommits();
    expect(store.checks).toBeGreaterThanOrEqual(4);
    await writer.close();
  });

  it('ends with the refusal of the store', async () => {
    const refused = Fault.bug('refused');
    const writer = new GroupingLogWriter(things, new SlowStart([refused, refused, refused]), {});
    await expect(writer.applyCommits()).rejects.toBe(refused);
    await writer.close();
  });

  it('ends when the writer is closed meanwhile', async () => {
    const writer = new GroupingLogWriter(things, new SlowStart(Array.from({ length: 1000 }, () => slow)), {});
    const sweep = writer.applyCommits();
    await writer.close();
    await expect(sweep).rejects.toBe(slow);
  });
});

describe('the periodic checks of logs that are behind', () => {
  const problemsOf = async (failures: readonly Error[]): Promise<Problem[]> => {
    const problems: Problem[] = [];
    const store = new SlowStart(failures);
    const onProblem = (problem: Problem): void => void problems.push(problem);
    const writer = new GroupingLogWriter(things, store, { applyEveryMs: 1, onProblem });
    await until(() => store.checks > failures.length);
    await writer.close();
    return problems;
  };

  it('are reported when the store refuses them, once per error', async () => {
    const refused = Fault.bug('refused');
    const problems = await problemsOf([refused, refused, refused]);
    expect(problems).toEqual([{ kind: 'unswept', log: things.category, error: refused }]);
  });

  it('are reported again after a success', async () => {
    const refused = Fault.bug('refused');
    const passes = undefined as unknown as Error;
    expect(await problemsOf([refused, passes, refused])).toHaveLength(2);
  });

  it('read the quarantine only after the head of a log has moved', async () => {
    const store = new SlowStart([]);
    const writer = new GroupingLogWriter(things, store, { applyEveryMs: 1 });
    const checks = async (count: number): Promise<void> => {
      const from = store.checks;
      await until(() => store.checks >= from + count);
    };
    await checks(10);
    // At the start, before documents in quarantine are tried.
    expect(store.reads).toBe(1);
    await store.raiseHeads([{ log: 'things-1', applied: 3 }]);
    await checks(10);
    expect(store.reads).toBe(2);
    await store.raiseHeads([{ log: 'things-1', applied: 4 }]);
    await checks(10);
    expect(store.reads).toBe(3);
    await writer.close();
  });

  it('are repeated silently without an answer from the store, which commands report', async () => {
    expect(await problemsOf([slow, slow])).toEqual([]);
  });
});
