/** The kinds of errors, common to every layer; the envelopes of the gateway map them to HTTP, the gRPC binding to status codes. */
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
 * The only error that domain and services throw on purpose. `message` is the public text for callers, `internal` is for the log. {@link Fault.from}
 * turns unexpected errors into `bug`.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;
  readonly internal: string | undefined;
  /** Seconds until the caller may try again: for `throttled`, and for `unavailable` where a caller is told in every family (R-ER12). */
  readonly retryAfterSeconds: number | undefined;
  /**
   * Only for `unavailable`: `none` = nothing was done; `possible` = something may have been done, and `message` explains how to repeat it; undefined
   * = unknown.
   */
  readonly effect: 'none' | 'possible' | undefined;
  /** Only for `argument` between services: the refused field of the call. `message` is the reason alone; the gateway names the field of its request. */
  readonly field: string | undefined;

  constructor(
    kind: FaultKind,
    publicText: string,
    options: {
      internal?: string | undefined;
      cause?: unknown;
      retryAfterSeconds?: number;
      effect?: Fault['effect'] | undefined;
      field?: string | undefined;
    } = {},
  ) {
    super(publicText, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.internal = options.internal;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.effect = options.effect;
    this.field = options.field;
  }

  /** An unreadable request, or one without a required argument: HTTP 400 without `status_code` (Spec Errors). */
  static malformed(text: string): Fault {
    return new Fault('malformed', text);
  }

  /** An invalid value: status 210 (Spec Errors). */
  static argument(text: string, field?: string): Fault {
    return new Fault('argument', text, { field });
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

  /** The caller exceeds a rate, and may try again after this number of whole seconds. */
  static throttled(text: string, retryAfterSeconds: number): Fault {
    return new Fault('throttled', text, { retryAfterSeconds });
  }

  /** A dependency of this call does not answer now; the same call may be repeated. */
  static unavailable(text: string, cause?: unknown): Fault {
    return new Fault('unavailable', text, { cause });
  }

  static bug(internal: string, cause?: unknown): Fault {
    return new Fault('bug', 'Internal error', { internal, cause });
  }

  /** The Fault in a caught value: itself, or a `bug` with the value as its cause. */
  static from(thrown: unknown): Fault {
    if (thrown instanceof Fault) return thrown;
    return Fault.bug(thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
}
