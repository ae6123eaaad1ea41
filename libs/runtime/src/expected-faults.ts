import { Fault } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';

/** Interval of log lines about expected faults with the same message. */
const INTERVAL_MS = 1_000;
/** Maximum number of remembered messages; they are constants of the program, so there are few. */
const MAX_MESSAGES = 1_000;

/** Whether a fault is expected while a store or a peer is unavailable. Its stack is irrelevant. */
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

/** Limits repeated messages: each passes once a second, with the number of suppressed ones. */
export class Thinned {
  readonly #messages = new Map<string, { until: number; kept: number }>();

  /** The number of equal messages suppressed before this one; undefined if this one is suppressed, too. */
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
