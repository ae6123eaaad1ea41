import { expect, it, jest } from '@jest/globals';
import { stopwatch } from './stopwatch.ts';

it('a stopwatch counts the time that passes and that the machine sleeps, and no step of the clock', () => {
  let [steady, sinceBoot] = [5_000, 90_000];
  const agoMs = stopwatch(
    () => steady,
    () => sinceBoot,
  );
  const pass = (ms: number, awakeMs = ms): void => {
    steady += awakeMs;
    sinceBoot += ms;
  };
  pass(50);
  expect(agoMs()).toBe(50);
  const now = Date.now();
  const wall = jest.spyOn(Date, 'now').mockReturnValue(now + 7_200_000);
  pass(1_000);
  expect(agoMs()).toBe(1_050);
  wall.mockReturnValue(now - 7_200_000);
  pass(1_000);
  expect(agoMs()).toBe(2_050);
  wall.mockRestore();
  pass(60_000, 200);
  expect(agoMs()).toBe(62_050);
});
