import { Fault } from '@tidings/kernel';

const CHECK_INTERVAL_MS = 250;

export class SlowBody extends Error {
  override readonly name = 'SlowBody';
}

export interface PendingRequest {
  deadline: number;
  /** 0 for a large body, which `LargeBodies` counts. */
  bytes: number;
  isArriving: boolean;
  late: Fault | undefined;
  release: (() => void) | undefined;
}

export interface PendingLimits {
  readonly requests: number;
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

/** A request counts until its work has ended, which bounds every queue behind. */
export class PendingRequests {
  readonly #limits: PendingLimits;
  readonly #open = new Set<Open>();
  #count = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: PendingLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

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
      this.#timer ??= setTimeout(this.#look, CHECK_INTERVAL_MS).unref();
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
    this.#timer = this.#open.size > 0 ? setTimeout(this.#look, CHECK_INTERVAL_MS).unref() : undefined;
  };
}
