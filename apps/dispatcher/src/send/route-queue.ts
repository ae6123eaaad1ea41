import type { HeldBack } from '@tidings/delivery';

/** The devices of a run that are still to be written over one route, in order. */
export class RouteQueue {
  readonly #devices: number[] = [];
  #next = 0;
  /** Why no more of them is written in this run; undefined while they are. */
  held: HeldBack | undefined;

  push(device: number): void {
    this.#devices.push(device);
  }

  /** The device to write now; undefined if there is none, or the route is held back. */
  next(): number | undefined {
    return this.held ? undefined : this.#devices[this.#next];
  }

  /** Removes the device that {@link next} returned. */
  shift(): void {
    this.#next++;
  }

  /** Whether devices wait for the route. */
  get isWaiting(): boolean {
    return this.#next < this.#devices.length && !this.held;
  }

  /** The devices that were not written. */
  rest(): readonly number[] {
    return this.#devices.slice(this.#next);
  }
}
