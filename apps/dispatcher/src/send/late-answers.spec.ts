import { beforeEach, describe, expect, it } from '@jest/globals';
import { LateAnswers } from './late-answers.ts';
import { VirtualTime } from '../testing/virtual-time.ts';

class Run {
  outstanding: number;
  lateAnswers = 0;
  abandoned = false;
  onLate = (): void => undefined;

  constructor(outstanding: number) {
    this.outstanding = outstanding;
  }

  abandon(): void {
    this.abandoned = true;
    this.outstanding = 0;
  }

  stop(): void {
    this.lateAnswers++;
    this.onLate();
  }

  answer(): void {
    this.outstanding--;
    this.lateAnswers++;
    this.onLate();
  }
}

describe('late answers', () => {
  let time: VirtualTime;
  let run: Run;
  let written: string[];
  let published: number[];
  let released: number;
  let ended: number;
  let kept: boolean;
  let answers: LateAnswers;

  beforeEach(() => {
    time = new VirtualTime(0);
    run = new Run(3);
    written = [];
    published = [];
    released = 0;
    ended = 0;
    kept = true;
    answers = open();
  });

  const open = (): LateAnswers =>
    new LateAnswers({
      run,
      timers: time.timers(() => true),
      log: { warn: () => undefined },
      until: 30_000,
      write: async (last) => {
        written.push(`${run.lateAnswers}${last ? ' last' : ''}`);
        return kept;
      },
      publish: async () => void published.push(time.now()),
      release: (devices) => void (released += devices),
      onEnd: () => void ended++,
    });

  it('release their slots one by one, and are stored together, the last one at once', async () => {
    answers.start();
    run.answer();
    run.answer();
    expect(released).toBe(2);
    await time.run(200);
    expect(written).toEqual([]);
    await time.run(300);
    expect(written).toEqual(['2']);
    run.answer();
    await time.run(301);
    expect([written, released, ended]).toEqual([['2', '3 last'], 3, 1]);
  });

  it('are stored while others follow steadily, and published 2 s after the deferral', async () => {
    run = new Run(60);
    answers = open();
    answers.start();
    for (let i = 0; i < 30; i++) {
      run.answer();
      await time.run(time.now() + 100);
    }
    expect(written.length).toBeGreaterThanOrEqual(10);
    expect(published).toEqual([2_000]);
  });

  it('are stored if they arrived before the start, too', async () => {
    run.onLate = () => undefined;
    run.answer();
    run.answer();
    run.answer();
    answers.start();
    await time.run(1);
    expect([written, released, ended]).toEqual([['3 last'], 3, 1]);
  });

  it('are awaited no longer than their deadline', async () => {
    answers.start();
    await time.run(30_001);
    expect([written, released, ended, run.abandoned]).toEqual([[], 3, 1, true]);
  });

  it('are stored before the worker stops if they have arrived', async () => {
    answers.start();
    run.answer();
    const stopped = answers.stop();
    await time.run(1);
    await stopped;
    run.answer();
    await time.run(1000);
    expect([written, released, ended, run.abandoned]).toEqual([['1'], 3, 1, true]);
  });

  it('are dropped if another worker has claimed the slice', async () => {
    answers.start();
    kept = false;
    run.answer();
    await time.run(1000);
    expect([written, released, ended, run.abandoned]).toEqual([['1'], 3, 1, true]);
  });
});
