import type { Timers } from '../timers.ts';

interface Waiter {
  readonly count: number;
  readonly grant: () => void;
}

interface Share {
  used: number;
  readonly waiting: Waiter[];
  activeAt: number;
}

const CONTENTION_MS = 5_000;
const PRESSURE_MS = 100;

export interface DeviceSlotsOptions {
  readonly total: number;
  readonly share: number;
  readonly timers: Timers;
  readonly onPressure: (credential: string) => void;
}

/** One credential may have all slots, but only its share while others wait and for 5 s after (R-LM5). */
export class DeviceSlots {
  readonly #options: DeviceSlotsOptions;
  readonly #shares = new Map<string, Share>();
  #used = 0;
  #pressing: (() => void) | undefined;

  constructor(options: DeviceSlotsOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  saturated(): string[] {
    return [...this.#shares.keys()].filter((credential) => this.isSaturated(credential));
  }

  isSaturated(credential: string): boolean {
    const share = this.#shares.get(credential);
    if (!share || share.used === 0) return false;
    return this.#isContended(credential) && (share.waiting.length > 0 || share.used >= this.#options.share);
  }

  /** Each slot must be returned with {@link release}. */
  take(credential: string, count: number, cancelled: Promise<void>): Promise<boolean> {
    this.#forgetIdle();
    const share = this.#shareOf(credential);
    if (share.waiting.length === 0 && this.#fits(credential, share, count) && !this.#othersAreNext(credential)) {
      this.#grant(share, count);
      return Promise.resolve(true);
    }
    share.activeAt = this.#options.timers.now();
    return new Promise((resolve) => {
      const waiter = { count, grant: () => resolve(true) };
      share.waiting.push(waiter);
      this.#press();
      void cancelled.then(() => {
        const index = share.waiting.indexOf(waiter);
        if (index < 0) return;
        share.waiting.splice(index, 1);
        resolve(false);
        this.#serve();
      });
    });
  }

  release(credential: string, count: number): void {
    const share = this.#shares.get(credential);
    if (!share || share.used < count) throw new Error('slots were released twice');
    share.used -= count;
    this.#used -= count;
    this.#serve();
  }

  #shareOf(credential: string): Share {
    let share = this.#shares.get(credential);
    if (!share) this.#shares.set(credential, (share = { used: 0, waiting: [], activeAt: -Infinity }));
    return share;
  }

  /** Nothing else removes a share, so callers may keep a reference within a call. */
  #forgetIdle(): void {
    const since = this.#options.timers.now() - CONTENTION_MS;
    for (const [credential, { used, waiting, activeAt }] of this.#shares) {
      if (used === 0 && waiting.length === 0 && activeAt <= since) this.#shares.delete(credential);
    }
  }

  #isContended(credential: string): boolean {
    const since = this.#options.timers.now() - CONTENTION_MS;
    for (const [other, { waiting, activeAt }] of this.#shares) {
      if (other !== credential && (waiting.length > 0 || activeAt > since)) return true;
    }
    return false;
  }

  #fits(credential: string, { used }: Share, count: number): boolean {
    const { total, share } = this.#options;
    if (this.#used + count > total) return false;
    return used === 0 || used + count <= share || !this.#isContended(credential);
  }

  #othersAreNext(credential: string): boolean {
    for (const [other, share] of this.#shares) {
      if (other !== credential && share.waiting.length > 0 && this.#mayHaveMore(other, share)) return true;
    }
    return false;
  }

  #mayHaveMore(credential: string, share: Share): boolean {
    const next = share.waiting[0]!;
    return share.used === 0 || share.used + next.count <= this.#options.share || !this.#isContended(credential);
  }

  #grant(share: Share, count: number): void {
    share.used += count;
    this.#used += count;
  }

  /** A slice that fits its share is waited for: small slices must not starve it. */
  #serve(): void {
    for (let served = true; served;) {
      served = false;
      for (const [credential, share] of this.#shares) {
        const next = share.waiting[0];
        if (!next || !this.#mayHaveMore(credential, share)) continue;
        if (this.#used + next.count > this.#options.total) return;
        share.waiting.shift();
        this.#shares.delete(credential);
        this.#shares.set(credential, share);
        this.#grant(share, next.count);
        next.grant();
        served = true;
        break;
      }
    }
  }

  #press(): void {
    this.#pressing ??= this.#options.timers.after(PRESSURE_MS, () => {
      this.#pressing = undefined;
      const { share, onPressure } = this.#options;
      const waits = [...this.#shares].some(
        ([credential, each]) => each.waiting.length > 0 && this.#mayHaveMore(credential, each),
      );
      if (!waits) return;
      for (const [credential, { used }] of this.#shares) {
        if (used > share && this.#isContended(credential)) onPressure(credential);
      }
      this.#press();
    });
  }
}

export class SliceSlots {
  #count: number;
  #retained = 0;
  readonly #release: (count: number) => void;

  constructor(count: number, release: (count: number) => void) {
    this.#count = count;
    this.#release = release;
  }

  retain(count: number): void {
    this.#retained = count;
  }

  release(count: number): void {
    const released = Math.min(count, this.#retained);
    this.#retained -= released;
    this.#return(released);
  }

  close(): void {
    this.#return(this.#count - this.#retained);
  }

  #return(count: number): void {
    this.#count -= count;
    if (count > 0) this.#release(count);
  }
}
