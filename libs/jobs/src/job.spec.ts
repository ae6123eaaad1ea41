import { describe, expect, it } from '@jest/globals';
import { ExportFormat, JobFailure, JobKind } from '@tidings/events';
import { decideJob, evolveJob, type Job, type JobAction, progressOf } from './job.ts';

const accepted = {
  kind: JobKind.JOB_KIND_SET_TAGS,
  application: 'A1B2C-3D4E5',
  entries: 7,
  pieces: 3,
  createMissingTags: false,
  exportFormat: ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
};
const accept: JobAction = { type: 'accept', account: 'a', accepted };
const at = (seconds: number): Date => new Date(seconds * 1000);
const processed = (piece: number, entries: number): JobAction => ({
  type: 'pieceProcessed',
  processed: { piece, entries, done: entries - 1, notFound: 1, failed: 0 },
});
const attemptAt = (piece: number): JobAction => ({ type: 'attemptFailed', piece });

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
    expect(given(accept).job).toMatchObject({ status: 'Pending', pieces: 0 });
  });

  it('counts rows and tells its progress in whole percents', () => {
    const { job } = given(accept, processed(0, 3), processed(1, 3));
    expect(job).toMatchObject({ status: 'Pending', pieces: 2, entries: 6, done: 4, notFound: 2, failed: 0 });
    expect(progressOf(job)).toBe(85);
  });

  it('is completed by its last piece, though nothing came of it', () => {
    const before = given(accept, processed(0, 3), processed(1, 3));
    expect(before.when(processed(2, 1))).toEqual(['pieceProcessed', 'completed']);
    const { job } = given(accept, processed(0, 3), processed(1, 3), processed(2, 1));
    expect(job).toMatchObject({ status: 'Completed', finishedAt: at(3), notFound: 3 });
    expect(progressOf(job)).toBe(100);
  });

  it('takes the results of each piece once and in order', () => {
    expect(given(accept, processed(0, 3)).when(processed(0, 3))).toEqual([]);
    expect(given(accept, processed(0, 3)).when(processed(2, 1))).toEqual([]);
  });

  it('rests after an error of ours, longer each time, and fails after the third at the same piece', () => {
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
    expect(gone.job).toMatchObject({ status: 'Failed', entries: 3 });
    expect(progressOf(gone.job)).toBe(42);
    for (const action of [processed(1, 3), attemptAt(1), { type: 'applicationGone' } as const, accept]) {
      expect(gone.when(action)).toEqual([]);
    }
    const [failure] = decideJob('j', given(accept).job, { type: 'applicationGone' }, at(1));
    expect(failure!.event).toEqual({
      $case: 'failed',
      value: { reason: JobFailure.JOB_FAILURE_APPLICATION_GONE },
    });
  });

  it('is a bug where it was never accepted', () => {
    expect(() => decideJob('j', undefined, attemptAt(0), at(0))).toThrow('Internal error');
  });
});
