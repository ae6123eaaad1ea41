import type { SendResult } from '@tidings/channels';
import type { SendBatch } from '@tidings/events';
import type { BatchColumns, Lane } from '@tidings/delivery';
import type { Throttler } from '../throttle/throttles.ts';

/** The devices of a slice, or some of them, as a channel gets them. */
export interface Job {
  readonly batch: SendBatch;
  readonly columns: BatchColumns;
  readonly lane: Lane;
}

/** A provider that pushes go to. */
export interface Channel {
  /**
   * Reads and checks the credential of a job, and compiles its content. A result holds for every device of the job. Connects to nobody:
   * that is {@link Sender.prepare}. Throws a Fault `unavailable` for what passes.
   */
  open(job: Job): Promise<Sender | SendResult>;
  /** A message's time to live; undefined where it has none. */
  ttlSeconds(batch: SendBatch): number | undefined;
  /** The applications whose credentials are in memory. */
  applications(): readonly string[];
  /** Removes an application's credentials from memory, with all that was made of them. */
  forget(application: string): void;
  close(): void;
}

/** Writes the pushes of one job to the provider. */
export interface Sender {
  /** Fingerprint of the credential: what the provider throttles. Applications with the same credential share it. */
  readonly credential: string;
  /** Which settings it was made of. */
  readonly settings: Throttler;
  /**
   * Gets what every push needs: an access token, an open connection. Resolves when pushes can be written, or to a result that holds for
   * every device. Throws a Fault `unavailable` for what passes; {@link trouble} says what it was.
   */
  prepare(): Promise<SendResult | undefined>;
  /** Why the provider could not be reached: what devices end with when their time is over. */
  trouble(): SendResult;
  /**
   * Writes the push of a device (an index in the columns), or says that there is no room now (`busy`), or what its end is without
   * asking the provider.
   * @param tag what the listener knows the device by
   * @param deadline when to give up, in milliseconds of the system's clock
   */
  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult;
  /** Calls once, when there may be room or the provider could not be reached. */
  whenReady(run: () => void): void;
  /** Until when the provider is not even tried, in milliseconds of the system's clock; 0 = it is connected, or being connected. */
  downUntil(): number;
  /**
   * Gets a new provider or access token in place of the one that was refused last. Throws a Fault `unavailable` for what passes, any other
   * where it is impossible.
   */
  refresh(): Promise<void>;
}

/** Hears what became of each written push, once, and never before `push` returned. */
export interface PushListener {
  /** Whether what it has written may still go out. */
  mayGo(): boolean;
  answered(tag: number, result: SendResult, detail?: AnswerDetail): void;
  /** The provider has not looked at it: repeating is safe. */
  unprocessed(tag: number): void;
}

export interface AnswerDetail {
  /** What `Retry-After` asks for, 0 = nothing. */
  readonly retryAfterMs?: number;
  /** Since when a token is dead, milliseconds. */
  readonly since?: number | undefined;
}
