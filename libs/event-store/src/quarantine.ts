import type { DocumentAddress } from './event-log-port.ts';
import type { LogStore, Quarantined } from './log-store.ts';
import type { Problem, WriterCounts } from './problems.ts';
import { UnknownEvent } from './unknown-event.ts';

const RETRY_MS = 60_000;
/** Tries take less than a twentieth of the time. */
const PAUSES = 20;

export interface QuarantineDeps {
  readonly store: Pick<LogStore, 'quarantine' | 'quarantined' | 'release'>;
  readonly counts: Pick<WriterCounts, 'quarantined'>;
  readonly report: (problem: Problem) => void;
  /** @default performance.now */
  readonly now?: () => number;
}

interface Attempt {
  readonly endedAt: number;
  readonly tookMs: number;
  readonly isFinal: boolean;
  readonly isOutdated: boolean;
}

export class Quarantine {
  readonly #deps: QuarantineDeps;
  readonly #now: () => number;
  #documents = new Map<string, Quarantined>();
  readonly #attempts = new Map<string, Attempt>();
  /** They may be released already, and still lack commits. */
  readonly #releasing = new Map<string, Quarantined>();
  #changes = 0;

  constructor(deps: QuarantineDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  get isEmpty(): boolean {
    return this.#documents.size === 0;
  }

  of(address: DocumentAddress): Quarantined | undefined {
    return this.isEmpty ? undefined : this.#documents.get(keyOf(address));
  }

  async add(at: Pick<Quarantined, 'address' | 'log' | 'position'>, error: unknown): Promise<void> {
    const { address, log, position } = at;
    const reason = error instanceof Error ? error.message : String(error);
    const document = { address, log, position, reason, isUnknown: error instanceof UnknownEvent };
    await this.#deps.store.quarantine(document);
    this.#changes++;
    this.#store(new Map(this.#documents).set(keyOf(address), document));
    this.#failed(document, error, 0);
  }

  async read(): Promise<void> {
    for (let before = -1; before !== this.#changes;) {
      before = this.#changes;
      const documents = await this.#deps.store.quarantined();
      if (documents.length === 0 && this.isEmpty) return;
      // Documents added here meanwhile may be missing among them.
      if (before === this.#changes)
        this.#store(new Map([...documents.map((each) => [keyOf(each.address), each] as const), ...this.#releasing]));
    }
  }

  due(): Quarantined[] {
    return [...this.#documents].filter(([key]) => this.#isDue(key)).map(([, document]) => document);
  }

  async retry(document: Quarantined, apply: (document: Quarantined) => Promise<unknown>): Promise<void> {
    const { store } = this.#deps;
    const key = keyOf(document.address);
    if (await this.#succeeds(document, apply)) {
      this.#releasing.set(key, document);
      await store.release(document.address);
      // Meanwhile other writers may have skipped commits of the document.
      if (!(await this.#succeeds(document, apply))) await store.quarantine(document);
    } else if (this.#releasing.has(key)) await store.quarantine(document);
    this.#releasing.delete(key);
  }

  storeRecovered(): void {
    for (const [key, last] of this.#attempts) this.#attempts.set(key, { ...last, isOutdated: true });
  }

  #isDue(key: string): boolean {
    const last = this.#attempts.get(key);
    if (!last || this.#releasing.has(key)) return true;
    if (last.isFinal) return false;
    return this.#now() - last.endedAt >= Math.max(last.isOutdated ? 0 : RETRY_MS, PAUSES * last.tookMs);
  }

  async #succeeds(document: Quarantined, apply: (document: Quarantined) => Promise<unknown>): Promise<boolean> {
    const startedAt = this.#now();
    const error = await apply(document);
    if (error !== undefined) this.#failed(document, error, this.#now() - startedAt);
    return error === undefined;
  }

  #store(documents: Map<string, Quarantined>): void {
    this.#documents = documents;
    this.#deps.counts.quarantined = documents.size;
    for (const key of this.#attempts.keys()) if (!documents.has(key)) this.#attempts.delete(key);
  }

  #failed({ address, log, position }: Quarantined, error: unknown, tookMs: number): void {
    const key = keyOf(address);
    const isReported = this.#attempts.has(key);
    const isFinal = error instanceof UnknownEvent;
    this.#attempts.set(key, { endedAt: this.#now(), tookMs, isFinal, isOutdated: false });
    if (!isReported) this.#deps.report({ kind: 'quarantined', log, position, address, error });
  }
}

const keyOf = ({ collection, id }: DocumentAddress): string => `${collection}\0${id}`;
