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

export interface ClaimsDeps extends Pick<SendingDeps, 'lane' | 'store' | 'stops' | 'clock' | 'metrics' | 'onDeferred'> {
  readonly workerLease: WorkerLease;
  readonly sending: Sending;
  readonly onClaimedElsewhere: (job: Job, slice: Slice, owner: string) => void;
}

export type Run = (open: OpenSlice) => Promise<Publication>;

const LEASE_TIMEOUT_MS = 2_500;

export class Claims {
  readonly #deps: ClaimsDeps;

  constructor(deps: ClaimsDeps) {
    this.#deps = deps;
  }

  /** An existing attempt determines the outcome. @param reason defers at once, without a claim */
  async claim(job: Job, slice: Slice, run: Run, reason?: WaitReason): Promise<Publication> {
    const { workerLease, store, lane, clock, metrics, onClaimedElsewhere, onDeferred } = this.#deps;
    const id = sliceId({ ...job.batch, number: slice.number });
    const epoch = await workerLease.ready(LEASE_TIMEOUT_MS);
    return this.runInEpoch(epoch, async () => {
      const ownClaim = claimed(epoch.id, clock.now(), noResults);
      const open = { id, job, slice, attempt: ownClaim, epoch, pending: pendingOf(job.columns, slice, ownClaim) };
      const deferred = reason && this.#deferredAtOnce(open, reason);
      const settings = { lane, credential: job.credential };
      const before = await store.claim(id, settings, deferred ?? ownClaim);
      if (!before && deferred) {
        onDeferred(deferred.dueAt);
        metrics.slice('deferred');
        job.tally.deferred(deferred.deferral.progress.length);
        return outcomeRecord(job.batch, slice, deferred, clock.now());
      }
      const isOwnerAlive = before?.state === 'claimed' && (await this.#isOwnerAlive(before.owner));
      const resolution = resolveClaim(before, ownClaim, isOwnerAlive);
      switch (resolution.do) {
        case 'drop':
          onClaimedElsewhere(job, slice, resolution.owner);
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

  async repeatedOutcome({ batch }: Job, slice: Slice): Promise<Publication> {
    const { store, clock } = this.#deps;
    const attempt = await store.find(sliceId({ ...batch, number: slice.number }));
    return attempt && attempt.state !== 'claimed' ? repeatedRecord(batch, slice, attempt, clock.now()) : undefined;
  }

  /** The claim of a failed run must not appear live as long as this worker. */
  async runInEpoch(epoch: Epoch, run: () => Promise<Publication>): Promise<Publication> {
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

  #deferredAtOnce(open: OpenSlice, reason: WaitReason): Deferred | undefined {
    const state = this.#deps.sending.deferredState(open, reason);
    if (state.waiting.length === 0) return undefined;
    const results = withResults(noResults, resultsOf(state.results));
    return deferredOf(open.attempt, results, deferralOf(open.job, open.slice, state));
  }

  /** A slice in hand never gets here, so a claim of this worker is not live. */
  async #isOwnerAlive(owner: string): Promise<boolean> {
    const { workerLease } = this.#deps;
    return !workerLease.isOwn(owner) && (await workerLease.alive([owner])).has(owner);
  }

  /** Unanswered devices may have been sent to before the owner died. */
  async #takeOver(open: OpenSlice, run: Run): Promise<Publication> {
    const { id, attempt, epoch, job, slice } = open;
    const { store, stops, metrics, sending } = this.#deps;
    const takeover = await store.takeOver(id, attempt.owner, epoch.id);
    if (!takeover) return undefined;
    metrics.slice('taken_over');
    const pending = pendingOf(job.columns, slice, takeover);
    const takenOver = sending.takenOver({ ...open, attempt: takeover, pending });
    if (stops.has(job.batch.message)) return sending.refuseStopped(takenOver);
    return job.batch.atMostOnce ? sending.refuseAmbiguous(takenOver) : run(takenOver);
  }
}
