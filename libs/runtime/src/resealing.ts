import type { Logger } from './logs.ts';
import type { DeploymentKeys, SealingService } from './master-key.ts';
import { masterKeyId } from './master-keys.ts';

/** Re-encrypts the stored values of a service with the current master key during a rotation. */
export interface Resealing {
  /**
   * Reseals every box with the current master key, and logs when none is left. Resumes after a crash; concurrent runs are safe. Does nothing
   * while the deployment seals with another key than this process.
   */
  run(signal: AbortSignal): Promise<void>;
  /** One line until every box is resealed. */
  open(): Promise<string[]>;
}

export interface ResealingDeps {
  readonly keys: DeploymentKeys;
  readonly service: SealingService;
  readonly log: Logger;
  /** Reseals the outdated boxes; returns how many it found. */
  readonly pass: (signal: AbortSignal) => Promise<number>;
  /** Called when the deployment seals with another key: what passes have found so far counts no more. */
  readonly reset?: () => void;
}

/** Opens the resealing of a service; undefined without a previous master key. */
export function resealingBy({ keys, service, log, pass, reset }: ResealingDeps): Resealing | undefined {
  const { master, rotation } = keys;
  if (!rotation) return undefined;
  let isDone = false;
  return {
    async run(signal) {
      let resealed = 0;
      // Repeats until a pass finds nothing: a concurrent process may have sealed with the previous key.
      for (let found = 1; found > 0;) {
        if (!(await rotation.isToCurrent())) {
          isDone = false;
          return reset?.();
        }
        found = await pass(signal);
        if (signal.aborted) return;
        resealed += found;
      }
      await rotation.finish(service);
      const [current, previous] = master.map(masterKeyId);
      if (resealed > 0 || !isDone)
        log.info({ service, current, previous, resealed }, 'nothing is sealed with TIDINGS_MASTER_KEY_PREVIOUS');
      isDone = true;
    },
    open: async () =>
      !isDone && (await rotation.isToCurrent()) ? [`${service}: what is sealed with the previous master key`] : [],
  };
}

/** During a rotation a process with the keys in the opposite order may seal with the previous one as long as it runs. */
export const RESEAL_EVERY_MS = 60_000;
