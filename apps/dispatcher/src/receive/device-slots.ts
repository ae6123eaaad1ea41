import type { Timers } from '../timers.ts';

interface Waiter {
  readonly count: number;
  readonly give: () => void;
}

interface Share {
  used: number;
  readonly waiting: Waiter[];
  /** When it last had to wait, or was given something while others waited: as long as that is recent, others leave it room. */
  activeAt: number;
}

/** Others of a credential that is short of slots keep to their shares for so long after it last asked. */
const REMEMBER_MS = 5_000;
/** A slice that waits for so long makes those that have more than their share let go. */
const PRESSURE_MS = 100;

export interface DeviceSlotsOptions {
  /** Devices that may be open at a time. */
  readonly total: number;
  /** Devices that one credential may have open while others wait. */
  readonly share: number;
  readonly timers: Timers;
  /** Called with each credential that has more than its share while another one waits. */
  readonly onPressure: (credential: string) => void;
}

/**
 * The devices that a lane may have open at a time (R-LM5), given out in turn between credentials and in order within each. Alone a
 * credential may have all slots; while others ask, and for 5 s after, no more than its share.
 */
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

  /** Credentials that may have nothing more now, because others ask. */
  saturated(): string[] {
    return [...this.#shares.keys()].filter((credential) => this.isSaturated(credential));
  }

  /** Whether a credential has its share, or waits for it, while others ask. */
  isSaturated(credential: string): boolean {
    const share = this.#shares.get(credential);
    if (!share || share.used === 0) return false;
    return this.#isContended(credential) && (share.waiting.length > 0 || share.used >= this.#options.share);
  }

  /** Resolves to true with `count` slots, or to false when `cancelled` resolves first. Give back each with {@link release}. */
  take(credential: string, count: number, cancelled: Promise<void>): Promise<boolean> {
    const share = this.#shareOf(credential);
    if (share.waiting.length === 0 && this.#fits(credential, share, count) && !this.#othersAreNext(credential)) {
      this.#give(share, count);
      return Promise.resolve(true);
    }
    share.activeAt = this.#options.timers.now();
    return new Promise((resolve) => {
      const waiter = { count, give: () => resolve(true) };
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

  /** Whether anybody else wants slots, or did a moment ago. */
  #isContended(credential: string): boolean {
    const since = this.#options.timers.now() - REMEMBER_MS;
    for (const [other, { used, waiting, activeAt }] of this.#shares) {
      if (other === credential) continue;
      if (waiting.length > 0 || activeAt > since) return true;
      if (used === 0) this.#shares.delete(other);
    }
    return false;
  }

  #fits(credential: string, { used }: Share, count: number): boolean {
    const { total, share } = this.#options;
    if (this.#used + count > total) return false;
    // A first slice is never too large for a share.
    return used === 0 || used + count <= share || !this.#isContended(credential);
  }

  /** Somebody waits who could be served as soon as anything is free. */
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

  #give(share: Share, count: number): void {
    share.used += count;
    this.#used += count;
  }

  /** Serves each credential in turn. One that fits its share but not what is free is waited for: small slices must not starve it. */
  #serve(): void {
    for (let served = true; served;) {
      served = false;
      for (const [credential, share] of this.#shares) {
        const next = share.waiting[0];
        if (!next || !this.#mayHaveMore(credential, share)) continue;
        if (this.#used + next.count > this.#options.total) return;
        share.waiting.shift();
        // To the end of the turn order.
        this.#shares.delete(credential);
        this.#shares.set(credential, share);
        this.#give(share, next.count);
        next.give();
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

/** The slots of one slice: given back when it is closed, but for those of late answers, which are given back one by one. */
export class SliceSlots {
  #held: number;
  #kept = 0;
  readonly #release: (count: number) => void;

  constructor(held: number, release: (count: number) => void) {
    this.#held = held;
    this.#release = release;
  }

  /** Keeps so many beyond the close. */
  keep(count: number): void {
    this.#kept = count;
  }

  /** Gives back so many of those that are kept. */
  release(count: number): void {
    const released = Math.min(count, this.#kept);
    this.#kept -= released;
    this.#giveBack(released);
  }

  close(): void {
    this.#giveBack(this.#held - this.#kept);
  }

  #giveBack(count: number): void {
    this.#held -= count;
    if (count > 0) this.#release(count);
  }
}
