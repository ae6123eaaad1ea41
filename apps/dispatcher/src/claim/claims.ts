import {
  claimed,
  type WaitReason,
  resolveClaim,
  noResults,
  type Deferred,
  resultsOf,
  sliceId,
  withResults,
} from '@tidings/delivery';
import type { Slice } from '@tidings/events';
import type { Epoch, WorkerLease } from '../attempts/worker-lease.ts';
import { outcomeRecord, repeatedRecord } from '../send/outcome-records.ts';
import {
  type Job,
  type OpenSlice,
  pendingOf,
  type Publication,
  deferredOf,
  deferralOf,
  type Sending,
  type SendingDeps,
} from '../send/sending.ts';

export interface ClaimsDeps extends Pick<SendingDeps, 'lane' | 'store' | 'clock' | 'metrics'> {
  readonly workerLease: WorkerLease;
  readonly sending: Sending;
  readonly onHeld: (job: Job, slice: Slice, owner: string) => void;
}

export type Run = (open: OpenSlice) => Promise<Publication>;

const LEASE_PATIENCE_MS = 2_500;

export class Claims {
  readonly #deps: ClaimsDeps;

  constructor(deps: ClaimsDeps) {
    this.#deps = deps;
  }

  /** An existing attempt determines the outcome. @param why defers at once, without a claim */
  async claim(job: Job, slice: Slice, run: Run, why?: WaitReason): Promise<Publication> {
    const { workerLease, store, lane, clock, metrics, onHeld } = this.#deps;
    const id = sliceId({ ...job.batch, number: slice.number });
    const epoch = await workerLease.ready(LEASE_PATIENCE_MS);
    return this.as(epoch, async () => {
      const mine = claimed(epoch.id, clock.now(), noResults);
      const open = { id, job, slice, attempt: mine, epoch, pending: pendingOf(job.columns, slice, mine) };
      const deferred = why && this.#deferredAtOnce(open, why);
      const place = { lane, credential: job.credential };
      const before = await store.claim(id, place, deferred ?? mine);
      if (!before && deferred) {
        metrics.slice('deferred');
        job.tally.deferred(deferred.deferral.progress.length);
        return outcomeRecord(job.batch, slice, deferred, clock.now());
      }
      const isHeld = before?.state === 'claimed' && (await this.#isHeld(before.owner));
      const resolution = resolveClaim(before, mine, isHeld);
      switch (resolution.do) {
        case 'drop':
          onHeld(job, slice, resolution.owner);
          return undefined;
        case 'publish':
          return repeatedRecord(job.batch, slice, resolution.attempt, clock.now());
        case 'send':
          return run({ ...open, attempt: resolution.attempt });
        case 'takeOver':
          return this.#takeOver({ ...open, attempt: resolution.attempt }, run);
      }
    });
  }

  async outcomeAgain({ batch }: Job, slice: Slice): Promise<Publication> {
    const { store, clock } = this.#deps;
    const attempt = await store.find(sliceId({ ...batch, number: slice.number }));
    return attempt && attempt.state !== 'claimed' ? repeatedRecord(batch, slice, attempt, clock.now()) : undefined;
  }

  /** The claim of a failed run must not appear live as long as this worker. */
  async as(epoch: Epoch, run: () => Promise<Publication>): Promise<Publication> {
    epoch.open++;
    try {
      return await run();
    } catch (error) {
      this.#deps.workerLease.retire(epoch);
      throw error;
    } finally {
      epoch.open--;
    }
  }

  #deferredAtOnce(open: OpenSlice, why: WaitReason): Deferred | undefined {
    const state = this.#deps.sending.held(open, why);
    if (state.waiting.length === 0) return undefined;
    const results = withResults(noResults, resultsOf(state.results));
    return deferredOf(open.attempt, results, deferralOf(open.job, open.slice, state));
  }

  /** A slice in hand never gets here, so a claim of this worker is not live. */
  async #isHeld(owner: string): Promise<boolean> {
    const { workerLease } = this.#deps;
    return !workerLease.isOwn(owner) && (await workerLease.alive([owner])).has(owner);
  }

  /** Unanswered devices may have been sent to before the owner died. */
  async #takeOver(open: OpenSlice, run: Run): Promise<Publication> {
    const { id, attempt, epoch, job, slice } = open;
    const { store, metrics, sending } = this.#deps;
    const taken = await store.takeOver(id, attempt.owner, epoch.id);
    if (!taken) return undefined;
    metrics.slice('taken_over');
    const mine = { ...open, attempt: taken, pending: pendingOf(job.columns, slice, taken) };
    return job.batch.atMostOnce ? sending.refuseAmbiguous(mine) : run(mine);
  }
}
