import { describe, expect, it } from '@jest/globals';
import { ExportFormat, type JobEvent, JobFailure, JobKind } from '@tidings/events';
import { givenEvents } from '@tidings/testing/given';
import { decideJob, evolveJob, type Job, type JobAction, progressOf } from './job.ts';

type PartProcessed = Extract<JobAction, { type: 'partProcessed' }>;

const at = (seconds: number): Date => new Date(seconds * 1000);
const acceptance = {
  kind: JobKind.JOB_KIND_SET_TAGS,
  application: 'A1B2C-3D4E5',
  entries: 7,
  parts: 3,
  createMissingTags: false,
  exportFormat: ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
  bytes: 700,
};
const results = (part: number, entries: number) => ({ part, entries, done: entries - 1, notFound: 1, failed: 0 });

const eventOf = (event: JobEvent['event']): JobEvent => ({
  stamp: undefined,
  job: 'j',
  account: 'a',
  at: at(0),
  event,
});
const later = (seconds: number, event: JobEvent): JobEvent => ({ ...event, at: at(seconds) });
const accepted = eventOf({ $case: 'accepted', value: acceptance });
const processed = (part: number, entries: number) => eventOf({ $case: 'partProcessed', value: results(part, entries) });
const begun = (part: number, worker: string) => eventOf({ $case: 'attemptBegun', value: { part, worker } });
const withdrawn = (part: number, worker: string) => eventOf({ $case: 'attemptWithdrawn', value: { part, worker } });
const attemptFailed = (part: number, retryAt: number) =>
  eventOf({ $case: 'attemptFailed', value: { part, worker: 'w', retryAt: at(retryAt) } });
const completed = eventOf({ $case: 'completed', value: {} });
const failed = (reason: JobFailure) => eventOf({ $case: 'failed', value: { reason } });
const internalError = failed(JobFailure.JOB_FAILURE_INTERNAL_ERROR);
const applicationGone = failed(JobFailure.JOB_FAILURE_APPLICATION_GONE);
const processDied = failed(JobFailure.JOB_FAILURE_PROCESS_DIED);

const accept: JobAction = { type: 'accept', account: 'a', accepted: acceptance };
const processPart = (part: number, entries: number): PartProcessed => ({
  type: 'partProcessed',
  processed: results(part, entries),
});
const processPartAndNext = (part: number, entries: number): JobAction => ({ ...processPart(part, entries), next: 'w' });
const begin = (part: number, worker: string): JobAction => ({ type: 'beginAttempt', part, worker });
const withdraw = (part: number, worker: string): JobAction => ({ type: 'withdrawAttempt', part, worker });
const failAttempt = (part: number): JobAction => ({ type: 'attemptFailed', part, worker: 'w' });
const removeApplication: JobAction = { type: 'applicationGone' };

function given(...past: readonly JobEvent[]) {
  const { state, when } = givenEvents<Job | undefined, JobEvent>(evolveJob, undefined)(...past);
  return {
    job: state!,
    when: (action: JobAction, seconds = 0) => when((job) => decideJob('j', job, action, at(seconds))),
  };
}

describe('a job', () => {
  it('is accepted once', () => {
    given().when(accept, 1).then(later(1, accepted));
    given(accepted).when(accept).then();
    expect(given(accepted).job).toMatchObject({ status: 'Pending', parts: 0 });
  });

  it('counts rows and has its progress in whole percents', () => {
    given(accepted, processed(0, 3)).when(processPart(1, 3)).then(processed(1, 3));
    const { job } = given(accepted, processed(0, 3), processed(1, 3));
    expect(job).toMatchObject({ status: 'Pending', parts: 2, entries: 6, done: 4, notFound: 2, failed: 0 });
    expect(progressOf(job)).toBe(85);
  });

  it('is completed by its last part, even if none of its entries was done', () => {
    given(accepted, processed(0, 3), processed(1, 3))
      .when(processPart(2, 1), 3)
      .then(later(3, processed(2, 1)), later(3, completed));
    const { job } = given(accepted, processed(0, 3), processed(1, 3), processed(2, 1), later(3, completed));
    expect(job).toMatchObject({ status: 'Completed', finishedAt: at(3), notFound: 3 });
    expect(progressOf(job)).toBe(100);
  });

  it('takes the results of each part once and in order', () => {
    given(accepted, processed(0, 3)).when(processPart(0, 3)).then();
    given(accepted, processed(0, 3)).when(processPart(2, 1)).then();
  });

  it('is deferred after an internal error, longer each time, and fails after the third at the same part', () => {
    given(accepted)
      .when(failAttempt(0), 1)
      .then(later(1, attemptFailed(0, 2)));
    const once = given(accepted, attemptFailed(0, 2));
    expect(once.job).toMatchObject({ status: 'Pending', attempts: 1, retryAt: at(2) });
    once.when(failAttempt(1)).then();
    once.when(failAttempt(0), 2).then(later(2, attemptFailed(0, 6)));
    const twice = given(accepted, attemptFailed(0, 2), attemptFailed(0, 6));
    expect(twice.job).toMatchObject({ attempts: 2, retryAt: at(6) });
    twice.when(failAttempt(0), 6).then(later(6, attemptFailed(0, 22)), later(6, internalError));
    given(accepted, attemptFailed(0, 2), attemptFailed(0, 6), processed(0, 3))
      .when(failAttempt(1), 6)
      .then(later(6, attemptFailed(1, 7)));
  });

  it('keeps its progress when it fails, and is final', () => {
    given(accepted).when(removeApplication, 1).then(later(1, applicationGone));
    given(accepted, processed(0, 3)).when(removeApplication).then(applicationGone);
    const gone = given(accepted, processed(0, 3), later(2, applicationGone));
    expect(gone.job).toMatchObject({
      status: 'Failed',
      entries: 3,
      finishedAt: at(2),
      reason: JobFailure.JOB_FAILURE_APPLICATION_GONE,
    });
    expect(progressOf(gone.job)).toBe(42);
    for (const action of [
      processPart(1, 3),
      failAttempt(1),
      begin(1, 'w'),
      withdraw(1, 'w'),
      accept,
      removeApplication,
    ]) {
      gone.when(action).then();
    }
  });

  it('fails when three processes have died at the same part, before a fourth begins (R-S3)', () => {
    given(accepted, begun(0, 'a'), begun(0, 'b')).when(begin(0, 'c')).then(begun(0, 'c'));
    const died = given(accepted, begun(0, 'a'), begun(0, 'b'), begun(0, 'c'));
    expect(died.job).toMatchObject({ status: 'Pending', attempts: 0, workers: ['a', 'b', 'c'] });
    died.when(begin(0, 'd')).then(processDied);
    expect(given(accepted, begun(0, 'a'), begun(0, 'b'), begun(0, 'c'), processDied).job).toMatchObject({
      status: 'Failed',
      reason: JobFailure.JOB_FAILURE_PROCESS_DIED,
      entries: 0,
    });
    // A working worker has not died, and a finished part needs none.
    died.when(begin(0, 'c')).then();
    died.when(processPart(0, 3)).then(processed(0, 3));
  });

  it('counts deaths and errors at one part together', () => {
    given(accepted, begun(0, 'a'), begun(0, 'w')).when(failAttempt(0)).then(attemptFailed(0, 1));
    const twice = given(accepted, begun(0, 'a'), begun(0, 'w'), attemptFailed(0, 1));
    expect(twice.job).toMatchObject({ attempts: 1, workers: ['a'] });
    twice.when(begin(0, 'w')).then(begun(0, 'w'));
    const thrice = given(accepted, begun(0, 'a'), begun(0, 'w'), attemptFailed(0, 1), begun(0, 'w'));
    thrice.when(failAttempt(0)).then(attemptFailed(0, 4), internalError);
    thrice.when(begin(0, 'b')).then(processDied);
  });

  it('counts no attempt that was withdrawn, and none at a completed part', () => {
    given(accepted, begun(0, 'a')).when(withdraw(0, 'a')).then(withdrawn(0, 'a'));
    const past = [begun(0, 'a'), withdrawn(0, 'a'), begun(0, 'b'), withdrawn(0, 'b')];
    given(accepted, ...past)
      .when(begin(0, 'c'))
      .then(begun(0, 'c'));
    const third = given(accepted, ...past, begun(0, 'c'));
    expect(third.job).toMatchObject({ workers: ['c'] });
    third.when(withdraw(0, 'a')).then();
    const further = given(accepted, begun(0, 'a'), begun(0, 'b'), processed(0, 3), begun(1, 'c'), begun(1, 'd'));
    expect(further.job).toMatchObject({ status: 'Pending', workers: ['c', 'd'] });
    further.when(begin(1, 'e')).then(begun(1, 'e'));
    further.when(begin(0, 'e')).then();
    further.when(withdraw(0, 'c')).then();
  });

  it('begins the attempt at the next part in the commit that counts a part', () => {
    given(accepted, begun(0, 'dead'), begun(0, 'w'))
      .when(processPartAndNext(0, 3))
      .then(processed(0, 3), begun(1, 'w'));
    const further = given(accepted, begun(0, 'dead'), begun(0, 'w'), processed(0, 3), begun(1, 'w'));
    expect(further.job).toMatchObject({ parts: 1, entries: 3, workers: ['w'] });
    further.when(processPartAndNext(0, 3)).then();
    further.when(begin(1, 'w')).then();
    given(accepted, processed(0, 3), processed(1, 3)).when(processPartAndNext(2, 1)).then(processed(2, 1), completed);
  });

  it('withdraws an attempt at the next part up to the given one', () => {
    // The commit that would have begun part 1 may have failed.
    given(accepted, begun(0, 'w')).when(withdraw(1, 'w')).then(withdrawn(0, 'w'));
    expect(given(accepted, begun(0, 'w'), withdrawn(0, 'w')).job).toMatchObject({ parts: 0, workers: [] });
    given(accepted, processed(0, 3), begun(1, 'w')).when(withdraw(1, 'w')).then(withdrawn(1, 'w'));
  });

  it('continues after any number of deaths that its progress lies between', () => {
    const long = eventOf({ $case: 'accepted', value: { ...acceptance, entries: 12, parts: 12 } });
    const past = Array.from({ length: 12 }, (_, i) => [begun(i, `${i}-a`), begun(i, `${i}-b`), processed(i, 1)]);
    for (let part = 0; part < 12; part++) {
      const before = past.slice(0, part).flat();
      given(long, ...before)
        .when(begin(part, `${part}-a`))
        .then(begun(part, `${part}-a`));
      const second = given(long, ...before, begun(part, `${part}-a`));
      second.when(begin(part, `${part}-b`)).then(begun(part, `${part}-b`));
      const expected = part < 11 ? [processed(part, 1)] : [processed(part, 1), completed];
      second.when(processPart(part, 1)).then(...expected);
    }
    expect(given(long, ...past.flat(), completed).job).toMatchObject({ status: 'Completed', entries: 12 });
  });

  it('is a bug if it was never accepted', () => {
    given().when(failAttempt(0)).thenRefused('Internal error');
  });
});
