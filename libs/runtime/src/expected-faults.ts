import { Fault } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';

/** How often a message about expected faults is written. */
const INTERVAL_MS = 1_000;
/** Messages that are remembered; they are texts of the program, so there are few. */
const MAX_MESSAGES = 1_000;

/** Whether a fault is to be expected while a store or a peer is away. Its stack says nothing. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof Fault ? error.kind === 'unavailable' : isTransient(error));

/** A fault with its causes, without their stacks. */
export function withoutStack(error: Error, depth = 0): Record<string, unknown> {
  const { name, message, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause instanceof Error && depth < 4 ? { cause: withoutStack(cause, depth + 1) } : {}),
  };
}

/** Thins out messages: each is let through once a second, with the number of those that were kept back since. */
export class Thinned {
  readonly #messages = new Map<string, { until: number; kept: number }>();

  /** The number of equal messages that were kept back before this one; undefined where this one is kept back, too. */
  pass(message: string, now = performance.now()): number | undefined {
    const known = this.#messages.get(message);
    if (known && now < known.until) {
      known.kept++;
      return undefined;
    }
    if (this.#messages.size >= MAX_MESSAGES) this.#messages.clear();
    this.#messages.set(message, { until: now + INTERVAL_MS, kept: 0 });
    return known?.kept ?? 0;
  }
}
