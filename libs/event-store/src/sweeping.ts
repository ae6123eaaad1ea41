import { type ExclusiveData, RARE_LOOK_MS, toNextMultiple } from '@tidings/coordination';
import { UnknownOutcome } from '@tidings/mongo';
import type { Intake, Log } from './log-intake.ts';
import type { Problem, WriterCounts } from './problems.ts';
import type { Head, LogStore } from './log-store.ts';
import { delay } from './waiting.ts';

export interface AppliesCommits {
  applyAfter(log: string, position: number): Promise<{ head: number; applied: number }>;
  readonly hasQuarantined: boolean;
  readQuarantined(): Promise<void>;
  retryQuarantined(): Promise<void>;
  storeRecovered(): void;
}

export interface SweeperDeps<Command, Reply> {
  readonly category: string;
  readonly intake: Intake<Command, Reply>;
  readonly store: LogStore;
  readonly applier: AppliesCommits;
  readonly counts: WriterCounts;
  readonly report: (problem: Problem) => void;
  readonly everyMs: number;
  readonly exclusive: ExclusiveData | undefined;
}

const PAGE = 1000;
/** Idle periods between two looks. */
const IDLE_ROUNDS = 5;

const [PAUSE_MS, MAX_PAUSE_MS] = [50, 500];

/** Finds commits ahead of the states whose writer died. */
export class Sweeper<Command, Reply> {
  readonly #deps: SweeperDeps<Command, Reply>;
  readonly #touched = new Set<Log<Command, Reply>>();
  readonly #ahead = new Map<string, number>();
  readonly #seen = new Map<string, number>();
  #after = '';
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void>;
  #closed = false;
  #isDown = false;
  #period = 0;
  #refusal: string | undefined;

  constructor(deps: SweeperDeps<Command, Reply>) {
    this.#deps = deps;
    this.#running = this.#start();
  }

  touched(log: Log<Command, Reply>): void {
    this.#touched.add(log);
  }

  async open(logs: readonly Log<Command, Reply>[]): Promise<void> {
    const unconfirmed = logs.filter(({ head, behind }) => head === undefined || behind);
    if (unconfirmed.length === 0) return;
    const heads = await this.#deps.store.heads(unconfirmed.map(({ name }) => name));
    // After the heads: a document is quarantined before a head passes it.
    await this.#deps.applier.readQuarantined();
    for (const log of unconfirmed) log.adopt(heads.get(log.name)!);
    const ahead = await this.#deps.store.ahead(unconfirmed.map((log) => ({ log: log.name, applied: log.head! })));
    for (const log of unconfirmed) log.behind &&= ahead.has(log.name);
    await Promise.all(unconfirmed.filter(({ name }) => ahead.has(name)).map((log) => this.#apply(log)));
  }

  /** Leaves busy logs to their cycle. */
  async applyAll(): Promise<void> {
    await this.#running;
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        return await this.#applyEach();
      } catch (error) {
        if (this.#closed || !(error instanceof UnknownOutcome)) throw error;
        await delay(pause);
      }
    }
  }

  async #applyEach(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const { heads, next } = await this.#page(after);
      const ahead = await this.#deps.store.ahead(heads);
      await this.#applyThose(heads.filter(({ log }) => ahead.has(log)));
      after = next;
    }
    await this.#flush();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#flush().catch(() => undefined);
  }

  async #start(): Promise<void> {
    try {
      await this.#deps.applier.readQuarantined();
      await this.#deps.applier.retryQuarantined();
      await this.#applyEach();
    } catch (error) {
      this.#refused(error);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#round();
    }, toNextMultiple(this.#deps.everyMs));
    this.#timer.unref();
  }

  async #round(): Promise<void> {
    try {
      await this.#flush();
      if (this.#isCheckDue()) await this.#checkAndRetry();
    } catch (error) {
      this.#refused(error);
    }
    this.#schedule();
  }

  #isCheckDue(): boolean {
    const { everyMs, exclusive } = this.#deps;
    const period = Math.floor(performance.now() / (exclusive ? RARE_LOOK_MS : IDLE_ROUNDS * everyMs));
    if (period === this.#period && !this.#mayBeBehind) return false;
    this.#period = period;
    return true;
  }

  async #checkAndRetry(): Promise<void> {
    await this.#check();
    if (this.#isDown) this.#deps.applier.storeRecovered();
    this.#isDown = false;
    await this.#deps.applier.retryQuarantined();
    this.#refusal = undefined;
  }

  get #mayBeBehind(): boolean {
    const { applier, intake } = this.#deps;
    const hasFailed = this.#isDown || this.#refusal !== undefined;
    return hasFailed || this.#ahead.size > 0 || applier.hasQuarantined || intake.isAnyBehind();
  }

  #refused(error: unknown): void {
    if (error instanceof UnknownOutcome) this.#isDown = true;
    if (error instanceof UnknownOutcome || this.#closed) return;
    const refusal = String(error);
    if (refusal !== this.#refusal) this.#deps.report({ kind: 'unswept', log: this.#deps.category, error });
    this.#refusal = refusal;
  }

  /** Only unchanged heads: the writer of a busy log needs no help. */
  async #check(): Promise<void> {
    const { heads, next } = await this.#page(this.#after);
    this.#after = next ?? '';
    const ahead = await this.#deps.store.ahead(heads);
    const stalled: Head[] = [];
    for (const head of heads) {
      if (!ahead.has(head.log)) this.#ahead.delete(head.log);
      else if (this.#ahead.get(head.log) === head.applied) stalled.push(head);
      else this.#ahead.set(head.log, head.applied);
    }
    await this.#applyThose(stalled);
    this.#deps.counts.behind = this.#ahead.size;
  }

  /** Later stored positions are adopted: others may have removed the commits before. */
  async #page(after: string): Promise<{ heads: readonly Head[]; next: string | undefined }> {
    const heads = await this.#deps.store.headsAfter(after, PAGE);
    await this.#readQuarantinedBefore(heads);
    return {
      heads: heads.map(({ log: name, applied }) => {
        const log = this.#deps.intake.log(name);
        if (!log.busy && log.head !== undefined) log.adopt(applied);
        return { log: name, applied: Math.max(applied, log.head ?? 0) };
      }),
      next: heads.length < PAGE ? undefined : heads.at(-1)!.log,
    };
  }

  /** A document is quarantined before a head passes it: unmoved heads need no read. */
  async #readQuarantinedBefore(heads: readonly Head[]): Promise<void> {
    const moved = heads.filter(({ log, applied }) => this.#seen.get(log) !== applied);
    if (moved.length === 0) return;
    await this.#deps.applier.readQuarantined();
    for (const { log, applied } of moved) this.#seen.set(log, applied);
  }

  async #applyThose(heads: readonly Head[]): Promise<void> {
    for (const { log: name, applied } of heads) {
      const log = this.#deps.intake.log(name);
      if (this.#closed || !this.#deps.intake.seize(log)) continue;
      try {
        log.adopt(applied);
        await this.#apply(log);
        this.#ahead.delete(name);
      } catch (error) {
        if (error instanceof UnknownOutcome) throw error;
        this.#deps.report({ kind: 'unapplied', log: name, error });
      } finally {
        this.#deps.intake.free(log);
      }
    }
  }

  async #apply(log: Log<Command, Reply>): Promise<void> {
    const { head, applied } = await this.#deps.applier.applyAfter(log.name, log.head!);
    log.adopt(head);
    log.behind = false;
    this.#deps.counts.applied += applied;
    this.touched(log);
  }

  async #flush(): Promise<void> {
    const logs = [...this.#touched];
    if (logs.length === 0) return;
    this.#touched.clear();
    try {
      await this.#deps.store.raiseHeads(logs.map(({ name, head }) => ({ log: name, applied: head! })));
    } catch (error) {
      for (const log of logs) this.#touched.add(log);
      throw error;
    }
  }
}
