import { Fault } from '@tidings/kernel';
import { currentTrace, type Trace } from '@tidings/telemetry';
import { getOrAdd } from './get-or-add.ts';
import { type Linked, LinkedList } from './linked-list.ts';

/** A command that awaits its answer. */
export interface Pending<Command, Reply> extends Linked<Pending<Command, Reply>> {
  readonly command: Command;
  /** Time at which it is answered `unavailable` if its outcome is unknown, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** The caller's trace, while traces are recorded. */
  readonly trace: Trace | undefined;
  /** True once it was answered; later results are ignored. */
  answered: boolean;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (fault: Fault) => void;
  /** Receives the reply at the commit. */
  readonly committed: ((reply: Reply) => void) | undefined;
}

/** A writer's knowledge of one log, and its waiting commands. */
export class Log<Command, Reply> {
  readonly name: string;
  queue: Pending<Command, Reply>[] = [];
  /** A cycle has it, or the applying of commits. */
  busy = false;
  /** All commits up to this position are applied to the states, by this writer or an earlier one; undefined until it has looked. */
  head: number | undefined;
  /** Another writer was detected: there are commits after `head`. */
  behind = false;
  /** Grows whenever another writer's commits are found: what this writer knew of the documents may be outdated. */
  foreign = 0;
  /** The next group has its own cycle, because the last shared one failed. */
  alone = false;
  /** Number of leading commands that are decided in smaller groups, because one of them made a group fail. */
  suspects = 0;
  groupCommands: number;

  constructor(name: string, groupCommands: number) {
    this.name = name;
    this.groupCommands = groupCommands;
  }

  /** The next position belongs to another writer. */
  overtaken(): void {
    this.behind = true;
    this.foreign++;
  }

  /** Raises the head over commits that others have applied, or that this writer has applied for them. */
  adopt(position: number): void {
    if (this.head !== undefined && position <= this.head) return;
    this.head = position;
    this.foreign++;
  }
}

export interface IntakeLimits {
  /** Maximum commands of one log in a commit. */
  readonly groupCommands: number;
  /** Maximum commands of all logs in a round of writes. */
  readonly cycleCommands: number;
  /** Maximum commands in progress; more are answered `unavailable`. */
  readonly maxPending: number;
  readonly answerWithinMs: number;
}

/** The commands of one log that are decided together. */
export interface Taken<Command, Reply> {
  readonly log: Log<Command, Reply>;
  readonly pending: readonly Pending<Command, Reply>[];
}

const EXPIRY_STEP_MS = 100;

/** Commands waiting for their log. A command is answered exactly once, at its deadline at the latest. */
export class Intake<Command, Reply> {
  readonly #limits: IntakeLimits;
  readonly #onReady: () => void;
  readonly #stepMs: number;
  readonly #logs = new Map<string, Log<Command, Reply>>();
  readonly #ready = new Set<Log<Command, Reply>>();
  readonly #pending = new LinkedList<Pending<Command, Reply>>();
  #expiry: NodeJS.Timeout | undefined;

  /** @param onReady is called when {@link take} has groups. */
  constructor(limits: IntakeLimits, onReady: () => void) {
    this.#limits = limits;
    this.#stepMs = Math.min(EXPIRY_STEP_MS, limits.answerWithinMs / 4);
    this.#onReady = onReady;
  }

  get size(): number {
    return this.#pending.size;
  }

  log(name: string): Log<Command, Reply> {
    return getOrAdd(this.#logs, name, () => new Log(name, this.#limits.groupCommands));
  }

  submit(name: string, command: Command, committed?: (reply: Reply) => void): Promise<Reply> {
    if (this.#pending.size >= this.#limits.maxPending) {
      return Promise.reject(Fault.unavailable('Too many requests are waiting'));
    }
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#limits.answerWithinMs;
      const trace = currentTrace();
      const place = { previous: undefined, next: undefined };
      const ends = { resolve, reject, committed };
      const pending: Pending<Command, Reply> = { command, deadline, trace, answered: false, ...ends, ...place };
      this.#pending.add(pending);
      this.#expiry ??= setTimeout(() => this.#expire(), this.#stepMs);
      const log = this.log(name);
      log.queue.push(pending);
      if (!log.busy) this.#makeReady(log);
    });
  }

  /** The groups of the next cycle, whose logs are busy from now on; none when nothing is ready. */
  take(): Taken<Command, Reply>[] {
    const groups: Taken<Command, Reply>[] = [];
    let commands = 0;
    for (const log of this.#ready) {
      if (log.alone && groups.length > 0) continue;
      this.#ready.delete(log);
      const pending = log.queue.splice(0, log.groupCommands).filter(({ answered }) => !answered);
      if (pending.length === 0) {
        if (log.queue.length > 0) this.#ready.add(log);
        continue;
      }
      log.busy = true;
      groups.push({ log, pending });
      commands += pending.length;
      if (log.alone || commands >= this.#limits.cycleCommands) break;
    }
    return groups;
  }

  /** Ends the log's cycle; `again` are commands of its last group that must be decided again, before waiting ones. */
  free(log: Log<Command, Reply>, again: readonly Pending<Command, Reply>[] = []): void {
    if (again.length > 0) log.queue = [...again, ...log.queue];
    log.busy = false;
    if (log.queue.length > 0) this.#makeReady(log);
  }

  /** Reserves a log for other work; false while a cycle uses it. */
  seize(log: Log<Command, Reply>): boolean {
    if (log.busy) return false;
    this.#ready.delete(log);
    return (log.busy = true);
  }

  /** Halves the next groups after a group failed as a whole, until the faulty command is alone. */
  suspect(log: Log<Command, Reply>, commands: number): void {
    log.suspects = Math.max(log.suspects, commands);
    log.groupCommands = Math.max(1, Math.ceil(commands / 2));
  }

  /** Counts commands that succeeded, or the refused faulty one; after the last suspect, groups have their full size again. */
  acquit(log: Log<Command, Reply>, commands: number): void {
    if (log.suspects > 0) log.suspects = Math.max(0, log.suspects - commands);
    if (log.suspects > 0) return;
    log.groupCommands = this.#limits.groupCommands;
    log.alone = false;
  }

  resolve(pending: Pending<Command, Reply>, reply: Reply): void {
    if (this.#answer(pending)) pending.resolve(reply);
  }

  reject(pending: Pending<Command, Reply>, fault: Fault): void {
    if (this.#answer(pending)) pending.reject(fault);
  }

  #makeReady(log: Log<Command, Reply>): void {
    this.#ready.add(log);
    this.#onReady();
  }

  #answer(pending: Pending<Command, Reply>): boolean {
    if (pending.answered) return false;
    this.#pending.remove(pending);
    return (pending.answered = true);
  }

  /** Commands are in order of arrival, so the search ends at the first one with time left. */
  #expire(): void {
    const now = performance.now();
    for (let { first } = this.#pending; first && first.deadline <= now; { first } = this.#pending) {
      this.reject(first, Fault.unavailable('The store does not answer'));
    }
    this.#expiry = this.#pending.size > 0 ? setTimeout(() => this.#expire(), this.#stepMs) : undefined;
  }
}
