/** What went wrong, in the words that every layer shares; the envelopes of the gateway map it to HTTP, the gRPC binding to status codes. */
export type FaultKind =
  | 'malformed'
  | 'argument'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'tooLarge'
  | 'throttled'
  | 'unavailable'
  | 'bug';

/**
 * The only error that domain and services throw on purpose. `message` is the public text, fit for a caller's eyes;
 * `internal` is for the log; what nobody expected becomes `bug` through {@link Fault.from}.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;
  readonly internal: string | undefined;
  /** When the caller may try again; of `throttled` alone. */
  readonly retryAfterSeconds: number | undefined;
  /** Of `unavailable` alone: `none` = nothing was done; `possible` = `message` tells how to repeat what may have been done; undefined = not known. */
  readonly effect: 'none' | 'possible' | undefined;

  constructor(
    kind: FaultKind,
    publicText: string,
    options: {
      internal?: string | undefined;
      cause?: unknown;
      retryAfterSeconds?: number;
      effect?: Fault['effect'] | undefined;
    } = {},
  ) {
    super(publicText, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.internal = options.internal;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.effect = options.effect;
  }

  /** A request that cannot be read, or lacks a required argument: HTTP 400 without `status_code` (Spec Errors). */
  static malformed(text: string): Fault {
    return new Fault('malformed', text);
  }

  /** A value that is present but wrong: status 210 (Spec Errors). */
  static argument(text: string): Fault {
    return new Fault('argument', text);
  }

  static unauthorized(text: string): Fault {
    return new Fault('unauthorized', text);
  }

  static forbidden(text: string): Fault {
    return new Fault('forbidden', text);
  }

  static notFound(text: string): Fault {
    return new Fault('notFound', text);
  }

  static conflict(text: string): Fault {
    return new Fault('conflict', text);
  }

  static tooLarge(text: string): Fault {
    return new Fault('tooLarge', text);
  }

  /** The caller asks too often, and may try again after some whole seconds. */
  static throttled(text: string, retryAfterSeconds: number): Fault {
    return new Fault('throttled', text, { retryAfterSeconds });
  }

  /** Something this call depends on does not answer now; the same call may be repeated. */
  static unavailable(text: string, cause?: unknown): Fault {
    return new Fault('unavailable', text, { cause });
  }

  static bug(internal: string, cause?: unknown): Fault {
    return new Fault('bug', 'Internal error', { internal, cause });
  }

  /** The Fault in a caught value: itself, or a `bug` that keeps the value as its cause. */
  static from(thrown: unknown): Fault {
    if (thrown instanceof Fault) return thrown;
    return Fault.bug(thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
}
