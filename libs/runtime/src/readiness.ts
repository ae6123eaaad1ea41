import { setTimeout as delay } from 'node:timers/promises';

/** A check of a dependency on demand: resolves when it works. */
export type Probe = () => unknown;

/** What an operator should know of a process that works; undefined = nothing. */
export type Note = () => string | undefined | Promise<string | undefined>;

/** Short enough to answer within a second. */
const PROBE_TIMEOUT_MS = 800;

/** Whether this process can take work, and if not, which dependencies are missing. */
export class Readiness {
  readonly #steps = new Set<string>();
  readonly #probes = new Map<string, Probe>();
  readonly #notes = new Map<string, Note>();
  #started = false;
  #stopping = false;

  /** True once the start is complete; never reverts. */
  get started(): boolean {
    return this.#started;
  }

  /** Registers a step of the start; call the result when it is done. */
  waitFor(step: string): () => void {
    this.#steps.add(step);
    return () => void this.#steps.delete(step);
  }

  /** Registers a dependency; a probe that takes longer than 0.8 s counts as failed. */
  probe(name: string, probe: Probe): void {
    this.#probes.set(name, probe);
  }

  /** Registers what is shown beside the dependencies, and does not end the readiness. */
  note(name: string, note: Note): void {
    this.#notes.set(name, note);
  }

  /** The notes that have a text. */
  async notes(): Promise<Readonly<Record<string, string>>> {
    const notes = await Promise.all([...this.#notes].map(async ([name, note]) => [name, await note()] as const));
    return Object.fromEntries(notes.filter((each): each is [string, string] => each[1] !== undefined));
  }

  start(): void {
    this.#started = true;
  }

  /** Becomes permanently not ready: the first step of a shutdown. */
  stop(): void {
    this.#stopping = true;
  }

  /** The missing dependencies, each with a reason; empty = ready. Reasons are for operators and contain no error texts. */
  async waitingFor(): Promise<Readonly<Record<string, string>>> {
    if (this.#stopping) return { shutdown: 'under way' };
    const steps = [...this.#steps].map((step) => [step, 'starting'] as const);
    if (!this.#started && steps.length === 0) steps.push(['start', 'starting']);
    const probes = await Promise.all(
      [...this.#probes].map(async ([name, probe]) =>
        (await succeeds(probe)) ? [] : [[name, 'does not answer'] as const],
      ),
    );
    return Object.fromEntries([...steps, ...probes.flat()]);
  }
}

async function succeeds(probe: Probe): Promise<boolean> {
  const timeout = new AbortController();
  try {
    return await Promise.race([
      Promise.resolve()
        .then(probe)
        .then(() => true),
      delay(PROBE_TIMEOUT_MS, false, { signal: timeout.signal, ref: false }),
    ]);
  } catch {
    return false;
  } finally {
    timeout.abort();
  }
}
