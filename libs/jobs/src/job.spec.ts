import { describe, expect, it } from '@jest/globals';
import { ExportFormat, JobFailure, JobKind } from '@tidings/events';
import { decideJob, evolveJob, type Job, type JobAction, progressOf } from './job.ts';

const accepted = {
  kind: JobKind.JOB_KIND_SET_TAGS,
  application: 'A1B2C-3D4E5',
  entries: 7,
  parts: 3,
  createMissingTags: false,
  exportFormat: ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
  bytes: 700,
};
const accept: JobAction = { type: 'accept', account: 'a', accepted };
const at = (seconds: number): Date => new Date(seconds * 1000);
const processed = (part: number, entries: number): Extract<JobAction, { type: 'partProcessed' }> => ({
  type: 'partProcessed',
  processed: { part, entries, done: entries - 1, notFound: 1, failed: 0 },
});
const attemptAt = (part: number): JobAction => ({ type: 'attemptFailed', part, worker: 'w' });
const begin = (part: number, worker: string): JobAction => ({ type: 'beginAttempt', part, worker });
const withdraw = (part: number, worker: string): JobAction => ({ type: 'withdrawAttempt', part, worker });

const given = (...actions: JobAction[]) => {
  const job = actions.reduce<Job | undefined>(
    (state, action, i) => decideJob('j', state, action, at(i)).reduce<Job | undefined>(evolveJob, state),
    undefined,
  );
  return {
    job: job!,
    when: (action: JobAction) => decideJob('j', job, action, at(100)).map(({ event }) => event!.$case),
  };
};

describe('a job', () => {
  it('is accepted once', () => {
    expect(decideJob('j', undefined, accept, at(0))).toEqual([
      { stamp: undefined, job: 'j', account: 'a', at: at(0), event: { $case: 'accepted', value: accepted } },
    ]);
    expect(given(accept).when(accept)).toEqual([]);
    expect(given(accept).job).toMatchObject({ status: 'Pending', parts: 0 });
  });

  it('counts rows and has its progress in whole percents', () => {
    const { job } = given(accept, processed(0, 3), processed(1, 3));
    expect(job).toMatchObject({ status: 'Pending', parts: 2, entries: 6, done: 4, notFound: 2, failed: 0 });
    expect(progressOf(job)).toBe(85);
  });

  it('is completed by its last part, even if none of its entries was done', () => {
    const before = given(accept, processed(0, 3), processed(1, 3));
    expect(before.when(processed(2, 1))).toEqual(['partProcessed', 'completed']);
    const { job } = given(accept, processed(0, 3), processed(1, 3), processed(2, 1));
    expect(job).toMatchObject({ status: 'Completed', finishedAt: at(3), notFound: 3 });
    expect(progressOf(job)).toBe(100);
  });

  it('takes the results of each part once and in order', () => {
    expect(given(accept, processed(0, 3)).when(processed(0, 3))).toEqual([]);
    expect(given(accept, processed(0, 3)).when(processed(2, 1))).toEqual([]);
  });

  it('is deferred after an internal error, longer each time, and fails after the third at the same part', () => {
    const once = given(accept, attemptAt(0));
    expect(once.job).toMatchObject({ status: 'Pending', attempts: 1, retryAt: at(2) });
    expect(once.when(attemptAt(1))).toEqual([]);
    const twice = given(accept, attemptAt(0), attemptAt(0));
    expect(twice.job).toMatchObject({ attempts: 2, retryAt: at(6) });
    expect(twice.when(attemptAt(0))).toEqual(['attemptFailed', 'failed']);
    expect(given(accept, attemptAt(0), attemptAt(0), processed(0, 3)).when(attemptAt(1))).toEqual(['attemptFailed']);
  });

  it('keeps its progress when it fails, and is final', () => {
    const gone = given(accept, processed(0, 3), { type: 'applicationGone' });
    expect(gone.job).toMatchObject({
      status: 'Failed',
      entries: 3,
      reason: JobFailure.JOB_FAILURE_APPLICATION_GONE,
    });
    expect(progressOf(gone.job)).toBe(42);
    const late = [processed(1, 3), attemptAt(1), begin(1, 'w'), withdraw(1, 'w'), accept];
    for (const action of [...late, { type: 'applicationGone' } as const]) {
      expect(gone.when(action)).toEqual([]);
    }
    const [failure] = decideJob('j', given(accept).job, { type: 'applicationGone' }, at(1));
    expect(failure!.event).toEqual({
      $case: 'failed',
      value: { reason: JobFailure.JOB_FAILURE_APPLICATION_GONE },
    });
  });

  it('fails when three processes have died at the same part, before a fourth begins (R-S3)', () => {
    const died = given(accept, begin(0, 'a'), begin(0, 'b'), begin(0, 'c'));
    expect(died.job).toMatchObject({ status: 'Pending', attempts: 0, workers: ['a', 'b', 'c'] });
    const [failure, ...others] = decideJob('j', died.job, begin(0, 'd'), at(9));
    expect(others).toEqual([]);
    expect(evolveJob(died.job, failure!)).toMatchObject({
      status: 'Failed',
      reason: JobFailure.JOB_FAILURE_PROCESS_DIED,
      entries: 0,
    });
    // A working worker has not died, and a finished part needs none.
    expect(died.when(begin(0, 'c'))).toEqual([]);
    expect(died.when(processed(0, 3))).toEqual(['partProcessed']);
  });

  it('counts deaths and errors at one part together', () => {
    const twice = given(accept, begin(0, 'a'), begin(0, 'w'), attemptAt(0));
    expect(twice.job).toMatchObject({ attempts: 1, workers: ['a'] });
    expect(twice.when(begin(0, 'w'))).toEqual(['attemptBegun']);
    const thrice = given(accept, begin(0, 'a'), begin(0, 'w'), attemptAt(0), begin(0, 'w'));
    expect(thrice.when(attemptAt(0))).toEqual(['attemptFailed', 'failed']);
    expect(thrice.when(begin(0, 'b'))).toEqual(['failed']);
  });

  it('counts no attempt that was withdrawn, and none at a completed part', () => {
    const withdrawn = given(accept, begin(0, 'a'), withdraw(0, 'a'), begin(0, 'b'), withdraw(0, 'b'), begin(0, 'c'));
    expect(withdrawn.job).toMatchObject({ workers: ['c'] });
    expect(withdrawn.when(withdraw(0, 'a'))).toEqual([]);
    const further = given(accept, begin(0, 'a'), begin(0, 'b'), processed(0, 3), begin(1, 'c'), begin(1, 'd'));
    expect(further.job).toMatchObject({ status: 'Pending', workers: ['c', 'd'] });
    expect(further.when(begin(1, 'e'))).toEqual(['attemptBegun']);
    expect(further.when(begin(0, 'e'))).toEqual([]);
    expect(further.when(withdraw(0, 'c'))).toEqual([]);
  });

  it('begins the attempt at the next part in the commit that counts a part', () => {
    const andNext = (part: number, entries: number): JobAction => ({ ...processed(part, entries), next: 'w' });
    const working = given(accept, begin(0, 'dead'), begin(0, 'w'));
    expect(working.when(andNext(0, 3))).toEqual(['partProcessed', 'attemptBegun']);
    const further = given(accept, begin(0, 'dead'), begin(0, 'w'), andNext(0, 3));
    expect(further.job).toMatchObject({ parts: 1, entries: 3, workers: ['w'] });
    expect(further.when(andNext(0, 3))).toEqual([]);
    expect(further.when(begin(1, 'w'))).toEqual([]);
    expect(given(accept, processed(0, 3), processed(1, 3)).when(andNext(2, 1))).toEqual(['partProcessed', 'completed']);
  });

  it('withdraws an attempt at the next part up to the given one', () => {
    const working = given(accept, begin(0, 'w'));
    // The commit that would have begun part 1 may have failed.
    expect(working.when(withdraw(1, 'w'))).toEqual(['attemptWithdrawn']);
    expect(given(accept, begin(0, 'w'), withdraw(1, 'w')).job).toMatchObject({ parts: 0, workers: [] });
    expect(given(accept, processed(0, 3), begin(1, 'w')).when(withdraw(1, 'w'))).toEqual(['attemptWithdrawn']);
  });

  it('continues after any number of deaths that its progress lies between', () => {
    const actions = Array.from({ length: 12 }, (_, i) => [begin(i, `${i}-a`), begin(i, `${i}-b`), processed(i, 1)]);
    const long: JobAction = { type: 'accept', account: 'a', accepted: { ...accepted, entries: 12, parts: 12 } };
    expect(given(long, ...actions.flat()).job).toMatchObject({ status: 'Completed', entries: 12 });
  });

  it('is a bug if it was never accepted', () => {
    expect(() => decideJob('j', undefined, attemptAt(0), at(0))).toThrow('Internal error');
  });
});
