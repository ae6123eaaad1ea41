import { Fault } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';

const INTERVAL_MS = 1_000;
const MAX_MESSAGES = 1_000;

export const isExpected = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof Fault ? error.kind === 'unavailable' : isTransient(error));

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

export class Thinned {
  readonly #messages = new Map<string, { until: number; kept: number }>();

  pass(message: string, now = performance.now()): number | undefined {
    const entry = this.#messages.get(message);
    if (entry && now < entry.until) {
      entry.kept++;
      return undefined;
    }
    if (this.#messages.size >= MAX_MESSAGES) this.#messages.clear();
    this.#messages.set(message, { until: now + INTERVAL_MS, kept: 0 });
    return entry?.kept ?? 0;
  }
}
