import type { Logger } from './logs.ts';
import type { DeploymentKeys, SealingService } from './master-key.ts';
import { masterKeyId } from './master-keys.ts';

export interface Resealing {
  /** Does nothing while the deployment seals with another key. */
  run(signal: AbortSignal): Promise<void>;
  open(): Promise<string[]>;
}

export interface ResealingDeps {
  readonly keys: DeploymentKeys;
  readonly service: SealingService;
  readonly log: Logger;
  readonly pass: (signal: AbortSignal) => Promise<number>;
  readonly reset?: () => void;
}

export function resealingBy({ keys, service, log, pass, reset }: ResealingDeps): Resealing | undefined {
  const { master, rotation } = keys;
  if (!rotation) return undefined;
  let isDone = false;
  return {
    async run(signal) {
      let resealed = 0;
      // A concurrent process may have sealed with the previous key.
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

export const RESEAL_EVERY_MS = 60_000;
