import { describe, expect, it } from '@jest/globals';
import { LongestOpen } from './longest-open.ts';

describe('the work that was open longest', () => {
  it('is the same kind in all polls, whatever its numbers and codes', () => {
    const open = new LongestOpen();
    open.add(['fanout.outcomes: 2 of tidings.outcomes 0', 'fanout: commands to plans'], 0);
    open.add(['dispatcher.apns: 3 slices being sent', 'dispatcher.apns: 1 slices being sent'], 400);
    open.add(['dispatcher.apns: 1 slices being sent', 'fanout.outcomes: 1 of tidings.outcomes 1'], 900);
    open.add(['dispatcher.apns: 2 slices being sent'], 2_400);
    expect(open.text).toBe('dispatcher.apns: slices being sent, 2.0 s');
  });

  it.each([
    ['B725-6A007817-5AE159A2: chunk 8960B-ACF00/0: 2 slices due, 0 in flight', 'chunk: slices due, in flight'],
    ['B725-6A007817-5AE159A2/3: not split into chunks', 'not split into chunks'],
    ['fanout.outcomes: 12 of tidings.outcomes 0', 'fanout.outcomes: of tidings.outcomes'],
    ['scheduler: tidings.plans 7', 'scheduler: tidings.plans'],
  ])('is described without its numbers and codes: %s', (item, kind) => {
    const open = new LongestOpen();
    open.add([item], 0);
    expect(open.text).toBe(`${kind}, 0.0 s`);
  });

  it('is empty if nothing was open', () => {
    expect(new LongestOpen().text).toBeUndefined();
  });
});
