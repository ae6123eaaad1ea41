import { localResults } from '@tidings/channels';
import {
  type Attempt,
  answered,
  noResults,
  type Results,
  resultsIn,
  type Settled,
  sliceId,
  type SliceIdentity,
} from '@tidings/delivery';
import { type FailedSet, SliceOutcome } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import type { MemoryValues } from './memory-store.ts';
import type { SimulatedProvider } from './simulated-provider.ts';

export interface PlannedSlice {
  readonly identity: SliceIdentity;
  readonly devices: readonly string[];
}

export interface FinishedRun {
  readonly plan: ReadonlyMap<string, PlannedSlice>;
  readonly devices: readonly string[];
  readonly attempts: ReadonlyMap<string, { readonly attempt: Attempt }>;
  readonly values: Pick<MemoryValues, 'of'>;
  readonly isRecordedSettled: (slice: PlannedSlice) => boolean;
  readonly outcomes: readonly SliceOutcome[];
  readonly provider: SimulatedProvider;
  readonly suspicious: ReadonlySet<string>;
  readonly repeated: readonly string[];
  readonly atMostOnce: boolean;
  readonly isStopped: boolean;
}

/**
 * Every planned device has exactly one terminal state, known to the fan-out; kept values are those the provider accepted. A duplicate on the wire
 * needs a device without an answer, or a slice whose owner failed. A stopped message tries no device again, and a device that ends as stopped got
 * nothing.
 */
export function checkRun(run: FinishedRun): {
  readonly errors: readonly string[];
  readonly counts: RunCheck['counts'];
} {
  const check = new RunCheck(run);
  check.all();
  return check;
}

const devicesByResult = ({ sent, failed }: Results): ReadonlyMap<string, Bitmap> =>
  new Map([
    ...sent.map(({ hour, set }) => [`SENT ${hour}`, Bitmap.decode(set)] as const),
    ...failed.map(({ hour, code, name, set }) => [`${code} ${name} ${hour}`, Bitmap.decode(set)] as const),
  ]);

class RunCheck {
  readonly errors: string[] = [];
  readonly counts = { duplicates: 0, deferred: 0, parts: 0, unknown: 0, stopped: 0 };
  readonly #run: FinishedRun;

  constructor(run: FinishedRun) {
    this.#run = run;
  }

  all(): void {
    const { plan, attempts, repeated, atMostOnce, isRecordedSettled } = this.#run;
    for (const [id, planned] of plan) {
      const attempt = attempts.get(id)?.attempt;
      if (attempt?.state !== 'settled') this.errors.push(`slice ${id} is ${attempt?.state ?? 'never claimed'}`);
      else {
        if (!isRecordedSettled(planned)) this.errors.push(`slice ${id} is settled but not recorded so`);
        this.#checkSettled(id, planned, attempt);
      }
    }
    this.#checkPlan();
    this.#checkOutcomes();
    this.#checkWire();
    if (atMostOnce) this.errors.push(...repeated.map((device) => `device ${device} repeated after a take-over`));
  }

  #checkPlan(): void {
    const planned = [...this.#run.plan.values()].flatMap(({ devices }) => devices);
    const others = new Set(this.#run.devices);
    for (const device of planned)
      if (!others.delete(device)) this.errors.push(`device ${device} planned twice or unknown`);
    for (const device of others)
      if (this.#run.provider.pushesTo(device) > 0) this.errors.push(`device ${device} on the wire without a plan`);
  }

  #checkSettled(id: string, { devices, identity: { chunk } }: PlannedSlice, { results }: Settled): void {
    if (answered(results).size !== devices.length) this.errors.push(`slice ${id} has devices without an outcome`);
    const sizes = [...results.sent, ...results.failed].map(({ set }) => Bitmap.decode(set).size);
    if (sizes.reduce((a, b) => a + b, 0) !== devices.length)
      this.errors.push(`slice ${id} has devices with two outcomes`);
    for (const { set } of results.sent) {
      for (const position of Bitmap.decode(set).positions()) {
        const device = `${chunk}.${position}`;
        if (this.#run.provider.pushesTo(device) === 0) this.errors.push(`device ${device} sent but never on the wire`);
        if (!this.#run.provider.hasAccepted(device, this.#run.values.of(id, position)))
          this.errors.push(`device ${device} is not kept as it was sent to`);
      }
    }
    for (const each of results.failed) this.#checkFailed(id, each);
  }

  #checkFailed(id: string, { category, name, set }: FailedSet): void {
    const { chunk } = this.#run.plan.get(id)!.identity;
    for (const position of Bitmap.decode(set).positions()) {
      if (name === localResults.unknownOutcome.name) {
        this.counts.unknown++;
        if (!this.#run.atMostOnce && !this.#run.isStopped) this.errors.push(`device ${chunk}.${position} given up`);
        if (!this.#run.suspicious.has(id) && this.#run.provider.answeringOf(`${chunk}.${position}`) !== 'silent')
          this.errors.push(`device ${chunk}.${position} unknown though its owner never failed`);
      } else if (this.#run.isStopped && name === localResults.stopped.name) {
        this.counts.stopped++;
        const device = `${chunk}.${position}`;
        if (this.#run.provider.hasAcceptedAny(device) && !this.#run.provider.wasLastRefused(device))
          this.errors.push(`device ${device} stopped though the provider accepted it`);
      } else if (this.#run.isStopped && this.#run.provider.refusalsOf(`${chunk}.${position}`) > 0) {
        continue;
      } else if (category !== 'INVALID_TOKEN' || this.#run.provider.answeringOf(`${chunk}.${position}`) !== 'dead') {
        this.errors.push(`device ${chunk}.${position} failed with ${name}`);
      }
    }
  }

  #checkOutcomes(): void {
    const reported = new Map<string, string>();
    for (const outcome of this.#run.outcomes) {
      const id = sliceId(outcome);
      if (outcome.outcome?.$case !== 'settled') {
        this.counts.deferred++;
        const part = resultsIn(outcome);
        if (part) this.#checkPart(id, part);
        continue;
      }
      const bytes = Buffer.from(SliceOutcome.encode(outcome).finish()).toString('hex');
      if ((reported.get(id) ?? bytes) !== bytes) this.errors.push(`slice ${id} settled in two ways`);
      reported.set(id, bytes);
    }
  }

  /** A device keeps its result, so that a part that is lost, repeated or late changes nothing. */
  #checkPart(id: string, part: Results): void {
    this.counts.parts++;
    const results = this.#run.attempts.get(id)?.attempt.results ?? noResults;
    const settled = devicesByResult(results);
    for (const [result, devices] of devicesByResult(part)) {
      if (devices.minus(settled.get(result) ?? Bitmap.empty).size > 0)
        this.errors.push(`slice ${id} was published with ${result} for devices that it is not settled with`);
    }
  }

  #checkWire(): void {
    for (const [id, { devices }] of this.#run.plan) {
      for (const device of devices) {
        const times = this.#run.provider.pushesTo(device);
        // Refused and unanswered pushes are repeated legitimately.
        const refusals = this.#run.provider.refusalsOf(device);
        const allowed =
          1 + refusals + (this.#run.provider.answeringOf(device) === 'silent' && !this.#run.atMostOnce ? 1 : 0);
        if (times <= allowed) continue;
        this.counts.duplicates++;
        if (!this.#run.suspicious.has(id))
          this.errors.push(`device ${device} on the wire ${times} times though its owner never failed`);
      }
    }
  }
}
