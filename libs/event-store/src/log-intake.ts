import { Fault } from '@tidings/kernel';
import { currentTrace, type Trace } from '@tidings/telemetry';
import { getOrAdd } from './get-or-add.ts';
import { type Linked, LinkedList } from './linked-list.ts';

export interface Pending<Command, Reply> extends Linked<Pending<Command, Reply>> {
  readonly command: Command;
  /** Milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly trace: Trace | undefined;
  answered: boolean;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (fault: Fault) => void;
  readonly committed: ((reply: Reply) => void) | undefined;
}

export class Log<Command, Reply> {
  readonly name: string;
  queue: Pending<Command, Reply>[] = [];
  busy = false;
  /** Undefined until this writer has looked. */
  head: number | undefined;
  behind = false;
  foreignCommits = 0;
  isIsolated = false;
  /** Leading commands to decide in smaller groups. */
  suspectCount = 0;
  groupCommands: number;

  constructor(name: string, groupCommands: number) {
    this.name = name;
    this.groupCommands = groupCommands;
  }

  overtaken(): void {
    this.behind = true;
    this.foreignCommits++;
  }

  adopt(position: number): void {
    if (this.head !== undefined && position <= this.head) return;
    this.head = position;
    this.foreignCommits++;
  }
}

export interface IntakeLimits {
  readonly groupCommands: number;
  readonly cycleCommands: number;
  readonly maxPending: number;
  readonly answerWithinMs: number;
}

export interface PendingGroup<Command, Reply> {
  readonly log: Log<Command, Reply>;
  readonly pending: readonly Pending<Command, Reply>[];
}

const EXPIRY_STEP_MS = 100;

export class Intake<Command, Reply> {
  readonly #limits: IntakeLimits;
  readonly #onReady: () => void;
  readonly #stepMs: number;
  readonly #logs = new Map<string, Log<Command, Reply>>();
  readonly #ready = new Set<Log<Command, Reply>>();
  readonly #pending = new LinkedList<Pending<Command, Reply>>();
  #expiry: NodeJS.Timeout | undefined;

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

  isAnyBehind(): boolean {
    return [...this.#logs.values()].some(({ behind }) => behind);
  }

  submit(name: string, command: Command, committed?: (reply: Reply) => void): Promise<Reply> {
    if (this.#pending.size >= this.#limits.maxPending) {
      return Promise.reject(Fault.unavailable('Too many requests are waiting'));
    }
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#limits.answerWithinMs;
      const trace = currentTrace();
      const links = { previous: undefined, next: undefined };
      const ends = { resolve, reject, committed };
      const pending: Pending<Command, Reply> = { command, deadline, trace, answered: false, ...ends, ...links };
      this.#pending.add(pending);
      this.#expiry ??= setTimeout(() => this.#expire(), this.#stepMs);
      const log = this.log(name);
      log.queue.push(pending);
      if (!log.busy) this.#makeReady(log);
    });
  }

  take(): PendingGroup<Command, Reply>[] {
    const groups: PendingGroup<Command, Reply>[] = [];
    let commands = 0;
    for (const log of this.#ready) {
      if (log.isIsolated && groups.length > 0) continue;
      this.#ready.delete(log);
      const pending = log.queue.splice(0, log.groupCommands).filter(({ answered }) => !answered);
      if (pending.length === 0) {
        if (log.queue.length > 0) this.#ready.add(log);
        continue;
      }
      log.busy = true;
      groups.push({ log, pending });
      commands += pending.length;
      if (log.isIsolated || commands >= this.#limits.cycleCommands) break;
    }
    return groups;
  }

  free(log: Log<Command, Reply>, again: readonly Pending<Command, Reply>[] = []): void {
    if (again.length > 0) log.queue = [...again, ...log.queue];
    log.busy = false;
    if (log.queue.length > 0) this.#makeReady(log);
  }

  seize(log: Log<Command, Reply>): boolean {
    if (log.busy) return false;
    this.#ready.delete(log);
    return (log.busy = true);
  }

  suspect(log: Log<Command, Reply>, commands: number): void {
    log.suspectCount = Math.max(log.suspectCount, commands);
    log.groupCommands = Math.max(1, Math.ceil(commands / 2));
  }

  acquit(log: Log<Command, Reply>, commands: number): void {
    if (log.suspectCount > 0) log.suspectCount = Math.max(0, log.suspectCount - commands);
    if (log.suspectCount > 0) return;
    log.groupCommands = this.#limits.groupCommands;
    log.isIsolated = false;
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

  #expire(): void {
    const now = performance.now();
    for (let { first } = this.#pending; first && first.deadline <= now; { first } = this.#pending) {
      this.reject(first, Fault.unavailable('The store does not answer'));
    }
    this.#expiry = this.#pending.size > 0 ? setTimeout(() => this.#expire(), this.#stepMs) : undefined;
  }
}
