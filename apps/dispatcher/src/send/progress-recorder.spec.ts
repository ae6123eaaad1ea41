import { describe, expect, it } from '@jest/globals';
import { SLICE_SIZE } from '@tidings/delivery';
import { VirtualTime } from '../testing/virtual-time.ts';
import { ProgressRecorder } from './progress-recorder.ts';

describe('progress of open slices', () => {
  const recording = () => {
    const time = new VirtualTime(0);
    const timers = { now: () => time.now(), wall: () => time.now(), after: time.at.bind(time) };
    const recorder = new ProgressRecorder({ timers, log: { warn: () => undefined } });
    const recorded: string[] = [];
    const begin = (name: string) => {
      let results = 0;
      const record = async (): Promise<boolean> => recorded.push(name) > 0;
      recorder.begin({
        results: () => results,
        remaining: () => SLICE_SIZE - results,
        record,
        publish: async () => undefined,
      });
      return (answers: number): void => {
        for (let i = 0; i < answers; i++) {
          results++;
          recorder.answered();
        }
      };
    };
    return { time, recorded, begin };
  };

  it('is recorded by a write of its own only for slices with unanswered devices', async () => {
    const { time, recorded, begin } = recording();
    const [first, second, third] = [begin('first'), begin('second'), begin('third')];
    first(SLICE_SIZE);
    second(300);
    expect(recorded).toEqual([]);
    await time.run(0);
    third(100);
    expect(recorded).toEqual(['second']);
  });
});
