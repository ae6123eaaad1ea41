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

/** `message` is public, `internal` for the log. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;
  readonly internal: string | undefined;
  /** For `throttled`, and for `unavailable` where a caller is told in every family (R-ER12). */
  readonly retryAfterSeconds: number | undefined;
  /** `possible` = may have been done; undefined = unknown. */
  readonly effect: 'none' | 'possible' | undefined;
  /** Only for `argument` between services; the gateway names its own field. */
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

  /** HTTP 400 without `status_code`. */
  static malformed(text: string): Fault {
    return new Fault('malformed', text);
  }

  /** Status 210. */
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

  static throttled(text: string, retryAfterSeconds: number): Fault {
    return new Fault('throttled', text, { retryAfterSeconds });
  }

  static unavailable(text: string, cause?: unknown): Fault {
    return new Fault('unavailable', text, { cause });
  }

  static bug(internal: string, cause?: unknown): Fault {
    return new Fault('bug', 'Internal error', { internal, cause });
  }

  static from(thrown: unknown): Fault {
    if (thrown instanceof Fault) return thrown;
    return Fault.bug(thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
}
