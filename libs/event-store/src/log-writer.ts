import { Fault } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';
import { outsideTraces } from '@tidings/telemetry';
import { Committing } from './committing.ts';
import { type DecidedGroup, decideGroup, type DecidingLimits, prepareGroup } from './decide-group.ts';
import { LoadedDocuments, BlockedDocument } from './documents.ts';
import { StateApplier } from './state-applier.ts';
import type { DecidedIn, Group } from './group.ts';
import { Intake, type Log, type PendingGroup } from './log-intake.ts';
import { load } from './loading.ts';
import { type CountingLogWriter, limitsOf, type OpenLogsOptions } from './log-options.ts';
import { OwnedFields } from './owned-fields.ts';
import { RecentDocuments } from './recent-documents.ts';
import type { FurtherNeeds, LogDefinition, Needs } from './event-log-port.ts';
import { noCounts, type Problem } from './problems.ts';
import { checkState } from './storable.ts';
import type { LogStore } from './log-store.ts';
import { Sweeper } from './sweeping.ts';
import { delay } from './waiting.ts';

const GROUP_BYTES = 2 * 1024 * 1024;
const COMMAND_BYTES = 8 * 1024 * 1024;
const SLOT_MS = 2000;
const MAX_LOADS = 5;
const MAX_LOG_NAME = 256;
const PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

/** The write protocol of ADR 3. */
export class GroupingLogWriter<Command, Event, State, Reply, Context> implements CountingLogWriter<Command, Reply> {
  readonly counts = noCounts();
  readonly #definition: LogDefinition<Command, Event, State, Reply, Context>;
  readonly #store: LogStore;
  readonly #options: OpenLogsOptions<Event>;
  readonly #limits: DecidingLimits;
  readonly #intake: Intake<Command, Reply>;
  readonly #applier: StateApplier<Event, State>;
  readonly #recent: RecentDocuments<State>;
  readonly #committing: Committing<Command, Event, State, Reply>;
  readonly #sweeper: Sweeper<Command, Reply>;
  readonly #cycles = new Set<Promise<void>>();
  #slots = 0;
  #isScheduled = false;
  #failures = 0;
  #closing = false;

  constructor(
    definition: LogDefinition<Command, Event, State, Reply, Context>,
    store: LogStore,
    options: OpenLogsOptions<Event>,
  ) {
    this.#definition = definition;
    this.#store = store;
    this.#options = options;
    this.#limits = {
      groupBytes: options.groupBytes ?? GROUP_BYTES,
      commandBytes: COMMAND_BYTES,
      owned: new OwnedFields(definition),
      check: ({ collection, id }, document) => checkState(id, document, store.indexCheck(collection)),
    };
    const report = (problem: Problem): void => {
      this.counts.problems++;
      options.onProblem?.(problem);
    };
    this.#intake = new Intake(limitsOf(options), () => this.#schedule());
    this.#applier = new StateApplier(definition, store, { counts: this.counts, report });
    const { category } = definition;
    const deps = { category, intake: this.#intake, store, applier: this.#applier, counts: this.counts, report };
    this.#sweeper = new Sweeper({ ...deps, everyMs: options.applyEveryMs ?? 1000, exclusive: options.exclusive });
    const { cacheBytes: maxBytes = 0, clock } = options;
    this.#recent = new RecentDocuments({ maxBytes, owned: this.#limits.owned, clock });
    this.#committing = new Committing({
      ...deps,
      options,
      recent: this.#recent,
      touched: (log) => this.#sweeper.touched(log),
    });
  }

  submit(log: string, command: Command, committed?: (reply: Reply) => void): Promise<Reply> {
    if (this.#closing) return Promise.reject(Fault.unavailable('The service is shutting down'));
    const { category } = this.#definition;
    if (log !== category && (!log.startsWith(`${category}-`) || log.length > MAX_LOG_NAME)) {
      return Promise.reject(Fault.bug(`"${log}" is not a log of ${category}`));
    }
    this.counts.commands++;
    return this.#intake.submit(log, command, committed);
  }

  applyCommits(): Promise<void> {
    return this.#sweeper.applyAll();
  }

  idle(): boolean {
    return this.#intake.size === 0 && this.#cycles.size === 0;
  }

  /** Answers commands by their deadlines; the next writer applies open commits. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    while (this.#intake.size > 0) await delay(5);
    this.#committing.abandon();
    await this.#sweeper.close();
    await Promise.all(this.#cycles);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const start = (): void => {
      this.#isScheduled = false;
      this.#startCycles();
    };
    outsideTraces(() => {
      if (this.#failures > 0) setTimeout(start, Math.min(PAUSE_MS * this.#failures, MAX_PAUSE_MS));
      else setImmediate(start);
    });
  }

  #startCycles(): void {
    while (this.#slots < (this.#options.cyclesInFlight ?? 2)) {
      const pending = this.#intake.take();
      if (pending.length === 0) return;
      this.#slots++;
      let isOccupied = true;
      const releaseSlot = (): void => {
        if (isOccupied) this.#slots--;
        isOccupied = false;
        this.#schedule();
      };
      const timer = setTimeout(releaseSlot, SLOT_MS);
      const cycle = this.#cycle(pending).finally(() => {
        clearTimeout(timer);
        this.#cycles.delete(cycle);
        releaseSlot();
      });
      this.#cycles.add(cycle);
    }
  }

  async #cycle(pending: readonly PendingGroup<Command, Reply>[]): Promise<void> {
    const groups = pending.map((group): Group<Command, Event, State, Reply> => ({ ...group }));
    const loaded = new LoadedDocuments<State>(this.#applier.reader);
    try {
      const needs = groups.map((group) => this.#needsOf(group));
      await this.#sweeper.open(groups.map(({ log }) => log));
      for (const [i, group] of groups.entries()) group.isCached = this.#loadFromCache(group.log, needs[i]!, loaded);
      await load(this.#store, this.#applier.reader, needs.flat(), loaded);
      this.#failures = 0;
    } catch (error) {
      this.#failedTogether(groups, error);
      return;
    }
    await Promise.all(groups.map((group) => this.#decide(group, loaded)));
    await this.#committing.write(groups.filter((group): group is DecidedIn<typeof group> => !!group.decided));
  }

  #loadFromCache(log: Log<Command, Reply>, needs: readonly Needs[], loaded: LoadedDocuments<State>): boolean {
    return this.#recent.load(
      log,
      needs.flatMap(({ ids = [] }) => ids),
      loaded,
    );
  }

  #needsOf(group: Group<Command, Event, State, Reply>): Needs[] {
    const needs: Needs[] = [];
    group.pending = group.pending.filter((pending) => {
      try {
        return needs.push(this.#definition.needs(pending.command));
      } catch (error) {
        this.#intake.reject(pending, Fault.from(error));
        return false;
      }
    });
    return needs;
  }

  async #decide(group: Group<Command, Event, State, Reply>, loaded: LoadedDocuments<State>): Promise<void> {
    group.pending = group.pending.filter(({ answered }) => !answered);
    const commands = group.pending.map(({ command }) => command);
    if (commands.length === 0) return this.#intake.free(group.log);
    try {
      group.decided = await this.#decideLoaded(loaded, commands);
      if (group.isCached && group.decided.events.length === 0) {
        // Without a commit, no conflict shows that a remembered document is outdated.
        const stored = new LoadedDocuments<State>(this.#applier.reader);
        const needs = commands.map((command) => this.#definition.needs(command));
        await load(this.#store, this.#applier.reader, needs, stored);
        group.decided = await this.#decideLoaded(stored, commands);
      }
    } catch (error) {
      if (error instanceof Fault && error.kind !== 'bug' && !(error instanceof BlockedDocument))
        this.#committing.refuseAll(group, error);
      else this.#failedTogether([group], error);
    }
  }

  async #decideLoaded(
    loaded: LoadedDocuments<State>,
    commands: readonly Command[],
  ): Promise<DecidedGroup<Event, State, Reply>> {
    const { context } = await this.#loading(loaded, () =>
      prepareGroup(this.#definition, commands, loaded, this.#limits),
    );
    return this.#loading(loaded, () => decideGroup(this.#definition, commands, loaded, context, this.#limits));
  }

  async #loading<Result extends object>(
    loaded: LoadedDocuments<State>,
    step: () => Result | FurtherNeeds | Promise<Result | FurtherNeeds>,
  ): Promise<Exclude<Result, FurtherNeeds>> {
    for (let round = 0; round <= MAX_LOADS; round++) {
      const result = await step();
      if (!('lookups' in result)) return result as Exclude<Result, FurtherNeeds>;
      await load(this.#store, this.#applier.reader, [result], loaded);
    }
    throw Fault.bug(`commands of ${this.#definition.category} keep requiring further documents`);
  }

  #failedTogether(groups: readonly Group<Command, Event, State, Reply>[], error: unknown): void {
    if (isTransient(error)) {
      this.#failures++;
      for (const { log, pending } of groups) this.#intake.free(log, pending);
    } else if (groups.length > 1) {
      for (const { log, pending } of groups) {
        log.isIsolated = true;
        this.#intake.free(log, pending);
      }
    } else {
      for (const group of groups) this.#committing.halve(group, error);
    }
  }
}
