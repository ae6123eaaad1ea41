import { setTimeout as delay } from 'node:timers/promises';

export type Probe = () => unknown;

export type Note = () => string | undefined | Promise<string | undefined>;

const PROBE_TIMEOUT_MS = 800;

export class Readiness {
  readonly #steps = new Set<{ readonly step: string }>();
  readonly #probes = new Map<string, Probe>();
  readonly #notes = new Map<string, Note>();
  #started = false;
  #stopping = false;

  get started(): boolean {
    return this.#started;
  }

  waitFor(step: string): () => void {
    // Two services of a process may wait for steps of one name.
    const entry = { step };
    this.#steps.add(entry);
    return () => void this.#steps.delete(entry);
  }

  probe(name: string, probe: Probe): void {
    this.#probes.set(name, probe);
  }

  note(name: string, note: Note): void {
    this.#notes.set(name, note);
  }

  async notes(): Promise<Readonly<Record<string, string>>> {
    const notes = await Promise.all([...this.#notes].map(async ([name, note]) => [name, await note()] as const));
    return Object.fromEntries(notes.filter((each): each is [string, string] => each[1] !== undefined));
  }

  start(): void {
    this.#started = true;
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Empty = ready. Reasons contain no error texts. */
  async waitingFor(): Promise<Readonly<Record<string, string>>> {
    if (this.#stopping) return { shutdown: 'under way' };
    const steps = [...this.#steps].map(({ step }) => [step, 'starting'] as const);
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
