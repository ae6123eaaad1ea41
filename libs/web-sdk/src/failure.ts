/**
 * `unsupported`: the browser has no web push · `gesture`: not called from a click · `blocked`: the visitor refuses notifications ·
 * `unconfigured`: the application has no VAPID key · `unreachable`: no answer, repeating may help · `refused`: the API, or the push
 * service of the browser, refuses the call.
 */
export type FailureCode = 'unsupported' | 'gesture' | 'blocked' | 'unconfigured' | 'unreachable' | 'refused';

/** Its message is a sentence. */
export interface Failure extends Error {
  readonly code: FailureCode;
}

export const failure = (code: FailureCode, message: string, cause?: unknown): Failure =>
  Object.assign(new Error(message, { cause }), { code });

export const isUnreachable = (error: unknown): boolean => (error as Partial<Failure>).code === 'unreachable';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
