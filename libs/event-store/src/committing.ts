import { Fault, randomBase62, systemClock } from '@tidings/kernel';
import { UnknownOutcome } from '@tidings/mongo';
import { beginSpan, headersOf, type OpenSpan, type Trace } from '@tidings/telemetry';
import type { DecidedGroup, Outcome } from './decide-group.ts';
import { BlockedDocument } from './documents.ts';
import type { RecentDocuments } from './recent-documents.ts';
import type { StateApplier } from './state-applier.ts';
import { type DecidedIn, type Group, writesOf } from './group.ts';
import type { Intake, Log } from './log-intake.ts';
import type { OpenLogsOptions } from './log-options.ts';
import type { Problem, WriterCounts } from './problems.ts';
import type { InsertOutcome, LogStore, RefusedWrite, StateWrite, StoredCommit } from './log-store.ts';
import { delay } from './waiting.ts';

export interface CommittingDeps<Command, Event, State, Reply> {
  readonly category: string;
  readonly intake: Intake<Command, Reply>;
  readonly store: LogStore;
  readonly applier: StateApplier<Event, State>;
  readonly recent: RecentDocuments<State>;
  readonly counts: WriterCounts;
  readonly options: OpenLogsOptions<Event>;
  readonly report: (problem: Problem) => void;
  readonly touched: (log: Log<Command, Reply>) => void;
}

const REPEAT_AFTER_MS = 20;
const MAX_PAUSE_MS = 500;

export class Committing<Command, Event, State, Reply> {
  readonly #deps: CommittingDeps<Command, Event, State, Reply>;
  readonly #repeatAfterMs: number;
  readonly #name = randomBase62(12);
  #commits = 0;
  #abandoned = false;

  constructor(deps: CommittingDeps<Command, Event, State, Reply>) {
    this.#deps = deps;
    this.#repeatAfterMs = deps.options.repeatAfterMs ?? REPEAT_AFTER_MS;
  }

  abandon(): void {
    this.#abandoned = true;
  }

  async write(groups: readonly DecidedIn<Group<Command, Event, State, Reply>>[]): Promise<void> {
    this.#deps.counts.groups += groups.length;
    const committing = groups.filter(({ decided }) => decided.events.length > 0);
    const others = groups.filter(({ decided }) => decided.events.length === 0);
    await Promise.all([this.#insert(committing), this.#writeStates(others)]);
  }

  halve(group: Group<Command, Event, State, Reply>, error: unknown): void {
    const { intake, counts } = this.#deps;
    if (group.pending.length === 1) return this.refuseAll(group, Fault.from(error));
    counts.split++;
    intake.suspect(group.log, group.pending.length);
    intake.free(group.log, group.pending);
  }

  refuseAll({ log, pending }: Group<Command, Event, State, Reply>, fault: Fault): void {
    for (const one of pending) this.#deps.intake.reject(one, fault);
    this.#deps.intake.acquit(log, pending.length);
    this.#deps.intake.free(log);
  }

  /** After a time-out a filler prevents the commit from taking effect later. */
  async #insert(groups: readonly DecidedIn<Group<Command, Event, State, Reply>>[]): Promise<void> {
    for (const group of groups) {
      group.span = this.#spanOf(group);
      group.commit = this.#commitOf(group.log, group.decided, group.span?.place);
    }
    const writing: Promise<void>[] = [];
    let open = groups;
    for (let pause = this.#repeatAfterMs; open.length > 0; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      const outcomes = await this.#deps.store.insert(open.map((group) => group.filler ?? group.commit!));
      if (open !== groups && outcomes.some(isAnswer)) this.#deps.applier.storeRecovered();
      const written = open.filter((group, i) => this.#sort(group, outcomes[i]!));
      if (written.length > 0) writing.push(this.#writeStates(written));
      open = open.filter((_, i) => outcomes[i]!.kind === 'unknown');
      if (open.length === 0 || this.#abandoned) break;
      this.#reportUnknown(open);
      await delay(pause);
    }
    await Promise.all(writing);
  }

  #sort(group: DecidedIn<Group<Command, Event, State, Reply>>, outcome: InsertOutcome): boolean {
    const { intake, counts } = this.#deps;
    if (outcome.kind === 'unknown') return false;
    if (outcome.kind === 'refused') {
      this.halve(group, outcome.error);
      return false;
    }
    if (outcome.uid === group.commit!.uid) {
      this.#committed(group, group.commit!, group.decided.events);
      group.decided.outcomes.forEach((outcome, i) => {
        if ('reply' in outcome) group.pending[i]!.committed?.(outcome.reply);
      });
      return true;
    }
    if (outcome.uid === group.filler?.uid) {
      this.#committed(group, group.filler, []);
      this.#moveHead(group.log, group.filler.position);
    } else {
      counts.conflicts++;
      group.log.overtaken();
    }
    intake.free(group.log, group.pending);
    return false;
  }

  #committed(
    group: DecidedIn<Group<Command, Event, State, Reply>>,
    { position, uid, at, events: encoded, trace }: StoredCommit,
    events: readonly Event[],
  ): void {
    const { counts, options } = this.#deps;
    counts.commits++;
    counts.events += events.length;
    if (trace) group.span?.end();
    options.committed?.({ log: group.log.name, position, uid, at, events, encoded, ...(trace && { trace }) });
  }

  #spanOf(group: DecidedIn<Group<Command, Event, State, Reply>>): OpenSpan | undefined {
    const attributes = { 'tidings.events': group.decided.events.length };
    return beginSpan(`commit ${this.#deps.category}`, { of: tracesOf(group), attributes });
  }

  #reportUnknown(groups: readonly DecidedIn<Group<Command, Event, State, Reply>>[]): void {
    const now = performance.now();
    for (const group of groups) {
      this.#deps.counts.unknownOutcomes++;
      if (group.filler || group.pending.every(({ deadline }) => deadline > now)) continue;
      group.filler = { ...this.#commitOf(group.log, { encoded: [], documents: [] }), position: group.commit!.position };
      this.#deps.report({
        kind: 'unknownOutcome',
        log: group.log.name,
        position: group.commit!.position,
        error: undefined,
      });
    }
  }

  async #writeStates(groups: readonly DecidedIn<Group<Command, Event, State, Reply>>[]): Promise<void> {
    const writes = groups.flatMap((group) => writesOf(group));
    // No other writer applies self-reports without a commit.
    const until = groups.some(({ commit }) => commit)
      ? Infinity
      : Math.max(...groups.flatMap(({ pending }) => pending.map(({ deadline }) => deadline)));
    const dropped = await this.#persist(writes, until);
    for (const group of groups) {
      if (dropped === undefined) {
        // Otherwise the log stays closed: its head may only move over written states.
        if (!group.commit) this.#deps.intake.free(group.log, group.pending);
        continue;
      }
      if (group.commit) {
        this.#cacheStates(group, group.commit.position);
        this.#moveHead(group.log, group.commit.position);
      }
      const refused = group.commit ? undefined : dropped.find(({ write }) => write.log === group.log.name);
      if (refused) this.halve(group, refused.error);
      else this.#answer(group);
    }
  }

  #cacheStates({ log, decided }: DecidedIn<Group<Command, Event, State, Reply>>, position: number): void {
    const { applier, recent } = this.#deps;
    for (const [document, changed] of decided.changed) {
      if (applier.reader.quarantineOf?.(document.address)) recent.forget(document.address);
      else recent.written(log, position, document, changed);
    }
  }

  async #persist(writes: readonly StateWrite[], until: number): Promise<readonly RefusedWrite[] | undefined> {
    if (writes.length === 0) return [];
    const { applier } = this.#deps;
    for (let pause = this.#repeatAfterMs, failures = 0; ; pause = Math.min(pause * 2, MAX_PAUSE_MS), failures++) {
      try {
        const refused = await applier.write(writes);
        if (failures > 0) applier.storeRecovered();
        return refused;
      } catch (error) {
        if (!(error instanceof UnknownOutcome))
          this.#deps.report({ kind: 'unknownOutcome', log: writes[0]!.log, error });
        if (this.#abandoned || performance.now() > until) return undefined;
        await delay(pause);
      }
    }
  }

  #answer({ log, pending, decided, commit }: DecidedIn<Group<Command, Event, State, Reply>>): void {
    const { intake } = this.#deps;
    for (const [i, outcome] of decided.outcomes.entries()) {
      const end = commit ? this.#unlessUnapplied(outcome) : outcome;
      if ('fault' in end) intake.reject(pending[i]!, end.fault);
      else intake.resolve(pending[i]!, end.reply);
    }
    intake.acquit(log, decided.outcomes.length);
    intake.free(log, pending.slice(decided.outcomes.length));
  }

  #unlessUnapplied(outcome: Outcome<Reply>): Outcome<Reply> {
    const { hasQuarantined, reader } = this.#deps.applier;
    if (!hasQuarantined || 'fault' in outcome) return outcome;
    for (const { address } of outcome.changed.keys()) {
      const quarantine = reader.quarantineOf?.(address);
      if (quarantine) return { fault: new BlockedDocument(address, quarantine) };
    }
    return outcome;
  }

  #moveHead(log: Log<Command, Reply>, position: number): void {
    log.head = position;
    this.#deps.touched(log);
  }

  #commitOf(
    log: Log<Command, Reply>,
    { encoded: events, documents }: Pick<DecidedGroup<Event, State, Reply>, 'encoded' | 'documents'>,
    span?: Trace,
  ): StoredCommit {
    const at = new Date((this.#deps.options.clock ?? systemClock).now());
    const trace = span && { trace: headersOf(span) };
    const uid = `${this.#name}-${++this.#commits}`;
    return {
      log: log.name,
      position: log.head! + 1,
      uid,
      at,
      events,
      ...(documents.length > 0 && { documents }),
      ...trace,
    };
  }
}

const isAnswer = ({ kind }: InsertOutcome): boolean => kind !== 'unknown';

function* tracesOf({
  pending,
  decided,
}: {
  readonly pending: readonly { readonly trace: Trace | undefined }[];
  readonly decided: { readonly outcomes: readonly unknown[] };
}): Iterable<Trace | undefined> {
  for (let i = 0; i < decided.outcomes.length; i++) yield pending[i]!.trace;
}
