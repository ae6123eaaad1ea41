import { setTimeout as delay } from 'node:timers/promises';

/** A dependency that is asked whenever somebody wants to know: resolves when it works. */
export type Probe = () => unknown;

/** So that the answer is there within a second. */
const PROBE_TIMEOUT_MS = 800;

/** Whether this process can take work, and if not, what it waits for. */
export class Readiness {
  readonly #steps = new Set<string>();
  readonly #probes = new Map<string, Probe>();
  #started = false;
  #stopping = false;

  /** True once the start is complete; stays so. */
  get started(): boolean {
    return this.#started;
  }

  /** Waits for a step of the start; call the result when it is done. */
  waitFor(step: string): () => void {
    this.#steps.add(step);
    return () => void this.#steps.delete(step);
  }

  /** Asks for a dependency from now on; a probe that takes longer than 0.8 s counts as failed. */
  probe(name: string, probe: Probe): void {
    this.#probes.set(name, probe);
  }

  start(): void {
    this.#started = true;
  }

  /** Not ready any more, for good: the first step of a shutdown. */
  stop(): void {
    this.#stopping = true;
  }

  /** Names what is waited for, each with a reason; empty = ready. Reasons are for operators and carry no error texts. */
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
