import { every, type EveryOptions, type Periodic, toNextMultiple } from './every.ts';

/** The embedded mode: no other process works on the data. */
export interface ExclusiveData {
  /** False while it is unknown, and once another process has taken over. */
  readonly isHeld: boolean;
}

const INTERVAL_MS = 5_000;
/** Workers are woken for work that becomes due between two looks. */
export const RARE_LOOK_MS = 30_000;

interface LookOptions extends EveryOptions {
  readonly exclusive: ExclusiveData | undefined;
}

/** Looks for work that another process has left, or this one before a restart. Whoever makes work due calls `now` or `within`. */
export function look(work: (signal: AbortSignal) => unknown, { exclusive, ...options }: LookOptions): Periodic {
  if (!exclusive) return every(INTERVAL_MS, work, options);
  const soon = (): void => periodic.within(toNextMultiple(INTERVAL_MS));
  const attempt = async (signal: AbortSignal): Promise<void> => {
    try {
      await work(signal);
    } catch (error) {
      soon();
      throw error;
    }
  };
  const periodic = every(RARE_LOOK_MS, attempt, options);
  soon();
  return periodic;
}
