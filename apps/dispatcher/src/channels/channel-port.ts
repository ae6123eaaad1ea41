import type { Push, RetrySchedule, SendResult } from '@tidings/channels';
import type { SendBatch } from '@tidings/events';
import type { BatchColumns, Lane } from '@tidings/delivery';
import type { Throttler } from '../throttle/throttles.ts';

/** The devices of a slice, or some of them, as input of a channel. */
export interface Job {
  readonly batch: SendBatch & Pick<Push, 'ageSeconds'>;
  readonly columns: BatchColumns;
  readonly lane: Lane;
}

/** A push service that has asked a credential to wait; others may accept its pushes. */
export interface ThrottledService {
  /** Fingerprint of the credential. */
  readonly credential: string;
  /** `<application>/<platform>`. */
  readonly reference: string;
  readonly origin: string;
  /** The end of the throttle, in milliseconds of the business clock. */
  readonly until: number;
  /** Code and reason of the push service. */
  readonly cause: string;
}

/** A provider that receives pushes. */
export interface Channel {
  /**
   * Reads and checks the credential of a job, and compiles its content, without connecting: {@link Sender.prepare} connects. A result applies to
   * every device of the job. Throws a Fault `unavailable` for transient failures.
   */
  open(job: Job): Promise<Sender | SendResult>;
  /** A message's time to live in a language, "" for devices without one; undefined if it has none. */
  ttlSeconds(batch: SendBatch, language: string): number | undefined;
  /** When retried pushes are tried again. @default `usualRetries` */
  readonly retries?: RetrySchedule | undefined;
  /** The longest `answersForMs` of its senders. @default `LATE_ANSWER_MS` */
  readonly answersForMs?: number | undefined;
  /** Whether contacts may get no message any more that was planned for them (R-E14). @default false */
  readonly hasSuppressions?: boolean;
  /**
   * Reads the credential of a platform (`<application>/<platform>`) again, and uses it from the next job on if it was configured anew. Resolves to the
   * version of its settings, 0 if there are none any more. Throws a Fault `unavailable` for transient failures.
   */
  renew(reference: string): Promise<number>;
  /** The applications with credentials in memory. */
  applications(): readonly string[];
  /** The push services that have asked to wait. Without it, a credential has one provider, whose throttle is shared by replicas. */
  throttledServices?(): readonly ThrottledService[];
  /** Lifts these throttles of a credential, by its fingerprint; returns the references that they held back. */
  liftServices?(credential: string): readonly string[];
  /** Removes an application's credentials and everything derived from them from memory. */
  forget(application: string): void;
  close(): void;
}

/** Writes the pushes of one job to the provider. */
export interface Sender {
  /** Fingerprint of the credential, which the provider throttles. Applications with the same credential share it. */
  readonly credential: string;
  /** The settings that the credential was made of. */
  readonly settings: Throttler;
  /**
   * How long an answer is awaited after the end of a run. Until then the other devices of the slice wait too, so it is long only where that costs less
   * than an unknown outcome. @default `LATE_ANSWER_MS`
   */
  readonly answersForMs?: number | undefined;
  /**
   * Obtains the access token and the open connection that every push needs. Resolves when pushes can be written, or to a result for every device.
   * Throws a Fault `unavailable` for transient failures; {@link trouble} returns the cause.
   */
  prepare(): Promise<SendResult | undefined>;
  /** The result of devices whose time is over while the provider cannot be reached. @param device asked for; undefined = any */
  trouble(device?: number): SendResult;
  /**
   * The way to the provider of a device, by identity: devices of one route are written in order, and routes side by side. Without it, all devices
   * have one.
   */
  routeOf?(device: number): object;
  /** The time until which the provider throttles this credential for a device, on the business clock; 0 = it does not. Absent = never. */
  throttledUntil?(device: number): number;
  /**
   * Writes the push of a device (an index in the columns). Returns `busy` if there is no room now, or the device's result if it fails locally.
   * @param tag identifies the device to the listener
   * @param deadline when to give up, in milliseconds of `performance.now()`
   */
  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult;
  /** Calls once, when there may be room for a device or its provider could not be reached. */
  whenReady(run: () => void, device: number): void;
  /** The time until which no connection for a device is attempted, in milliseconds of `performance.now()`; 0 = connected or connecting. */
  downUntil(device: number): number;
  /**
   * Obtains a new provider or access token in place of the last refused one. Throws a Fault `unavailable` for transient failures, another one if
   * refreshing is impossible.
   */
  refresh(): Promise<void>;
}

/** Receives the answer of each written push, once, and never before `push` returned. */
export interface PushListener {
  /** Whether written pushes may still be flushed. */
  mayGo(): boolean;
  answered(tag: number, result: SendResult, detail?: AnswerDetail): void;
  /** The provider has not processed the push: repeating is safe. */
  unprocessed(tag: number): void;
}

export interface AnswerDetail {
  /** The value of `Retry-After`, 0 = none. */
  readonly retryAfterMs?: number;
  /** Time since which a token is dead, in milliseconds. */
  readonly since?: number | undefined;
  /** The token that the provider has for the device. */
  readonly replacement?: string | undefined;
}
