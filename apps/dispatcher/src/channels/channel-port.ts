import type { Push, RetrySchedule, SendResult } from '@tidings/channels';
import type { SendBatch } from '@tidings/events';
import type { BatchColumns, Lane } from '@tidings/delivery';
import type { Throttler } from '../throttle/throttles.ts';

export interface Job {
  readonly batch: SendBatch & Pick<Push, 'ageSeconds'>;
  readonly columns: BatchColumns;
  readonly lane: Lane;
}

export interface ThrottledService {
  readonly credential: string;
  readonly reference: string;
  readonly origin: string;
  /** Milliseconds of the business clock. */
  readonly until: number;
  readonly cause: string;
}

export interface Channel {
  /** Does not connect. A result applies to every device. @throws Fault `unavailable` if transient */
  open(job: Job): Promise<Sender | SendResult>;
  ttlSeconds(batch: SendBatch, language: string): number | undefined;
  readonly retries?: RetrySchedule | undefined;
  readonly answersForMs?: number | undefined;
  readonly hasSuppressions?: boolean;
  /** Resolves to the version of the settings, 0 = none. @throws Fault `unavailable` if transient */
  renew(reference: string): Promise<number>;
  applications(): readonly string[];
  throttledServices?(): readonly ThrottledService[];
  liftServices?(credential: string): readonly string[];
  forget(application: string): void;
  close(): void | Promise<void>;
}

export interface Sender {
  /** Applications that share a credential share its fingerprint and throttle. */
  readonly credential: string;
  readonly settings: Throttler;
  readonly answersForMs?: number | undefined;
  /** May resolve to a result of every device. @throws Fault `unavailable` if transient */
  prepare(): Promise<SendResult | undefined>;
  failure(device?: number): SendResult;
  /** Devices of one route are written in order; all have one by default. */
  routeOf?(device: number): object;
  /** On the business clock; 0 = none. */
  throttledUntil?(device: number): number;
  /** @param deadline milliseconds of `performance.now()` */
  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult;
  whenReady(run: () => void, device: number): void;
  /** Milliseconds of `performance.now()`; 0 = connected or connecting. */
  downUntil(device: number): number;
  refresh(): Promise<void>;
}

/** Receives one answer per written push, never before `push` returned. */
export interface PushListener {
  mayFlush(): boolean;
  answered(tag: number, result: SendResult, detail?: AnswerDetail): void;
  unprocessed(tag: number): void;
}

export interface AnswerDetail {
  readonly retryAfterMs?: number;
  readonly since?: number | undefined;
  readonly replacement?: string | undefined;
}
