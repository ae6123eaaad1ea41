import type { WaitReason } from '@tidings/delivery';

export class RouteQueue {
  readonly #devices: number[] = [];
  #next = 0;
  blockedBy: WaitReason | undefined;

  push(device: number): void {
    this.#devices.push(device);
  }

  next(): number | undefined {
    return this.blockedBy ? undefined : this.#devices[this.#next];
  }

  shift(): void {
    this.#next++;
  }

  get isWaiting(): boolean {
    return this.#next < this.#devices.length && !this.blockedBy;
  }

  remaining(): readonly number[] {
    return this.#devices.slice(this.#next);
  }
}
