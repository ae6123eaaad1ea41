import { Fault } from '@tidings/kernel';

/** Interval of checking deadlines: one timer for all of them. */
const LOOK_EVERY_MS = 250;

/** A body that did not arrive in time. */
export class SlowBody extends Error {
  override readonly name = 'SlowBody';
}

/** A request that is being served. */
export interface PendingRequest {
  /** Deadline of the reply, by performance.now(); Infinity while a large body arrives. */
  deadline: number;
  /** Bytes of its body. 0 for a large body, which `LargeBodies` counts. */
  bytes: number;
  /** Whether its body is still arriving. */
  isArriving: boolean;
  /** The fault reported when the deadline passes; undefined = the request was not served. */
  late: Fault | undefined;
  /** Releases the room of a large body when the work on the request has ended. */
  release: (() => void) | undefined;
}

export interface PendingLimits {
  /** Maximum number of requests. */
  readonly requests: number;
  /** Maximum bytes of their small bodies. */
  readonly bytes: number;
}

interface Open {
  readonly request: PendingRequest;
  readonly reject: (error: Error) => void;
}

const FULL = 'the gateway serves as many requests as it can hold';

const lateError = ({ isArriving, late }: PendingRequest): Error => {
  if (isArriving) return new SlowBody();
  return late ?? new Fault('unavailable', 'Not served in time', { internal: 'the deadline of the request has passed' });
};

/**
 * The requests being served: bounded in number and bytes, each answered by its deadline. A request answered at its deadline counts until its work has
 * ended, so the bound holds for every queue behind.
 */
export class PendingRequests {
  readonly #limits: PendingLimits;
  readonly #open = new Set<Open>();
  #count = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: PendingLimits) {
    this.#limits = limits;
  }

  /** Number of requests being served. */
  get count(): number {
    return this.#count;
  }

  /**
   * Serves a request: settles with the work, or rejects at the deadline.
   * @throws Fault `unavailable` if there are too many; SlowBody if its body is late.
   */
  serve<Answer>(deadlineMs: number, work: (request: PendingRequest) => Promise<Answer>): Promise<Answer> {
    if (this.#count >= this.#limits.requests) return Promise.reject(new Fault('unavailable', FULL, { effect: 'none' }));
    const request: PendingRequest = {
      deadline: performance.now() + deadlineMs,
      bytes: 0,
      isArriving: false,
      late: undefined,
      release: undefined,
    };
    return new Promise((resolve, reject) => {
      const open: Open = { request, reject };
      this.#count++;
      this.#open.add(open);
      this.#timer ??= setTimeout(this.#look, LOOK_EVERY_MS).unref();
      work(request).then(
        (answer) => {
          this.#end(open);
          resolve(answer);
        },
        (error: Error) => {
          this.#end(open);
          reject(error);
        },
      );
    });
  }

  /** Counts the small body of a request. @throws Fault `unavailable` if there is no room. */
  hold(request: PendingRequest, bytes: number): void {
    if (this.#bytes + bytes > this.#limits.bytes) throw new Fault('unavailable', FULL, { effect: 'none' });
    request.bytes += bytes;
    this.#bytes += bytes;
  }

  #end(open: Open): void {
    this.#count--;
    this.#bytes -= open.request.bytes;
    open.request.release?.();
    this.#open.delete(open);
  }

  readonly #look = (): void => {
    const now = performance.now();
    for (const open of this.#open) {
      if (open.request.deadline > now) continue;
      this.#open.delete(open);
      open.reject(lateError(open.request));
    }
    this.#timer = this.#open.size > 0 ? setTimeout(this.#look, LOOK_EVERY_MS).unref() : undefined;
  };
}
