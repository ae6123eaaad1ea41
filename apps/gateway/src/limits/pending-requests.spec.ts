import { jest } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { type PendingRequest, PendingRequests, SlowBody } from './pending-requests.ts';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

const never = (): Promise<never> => new Promise(() => undefined);
const LIMITS = { requests: 2, bytes: 10 };

describe('pending requests', () => {
  it('are answered when the work on them ends', async () => {
    const requests = new PendingRequests(LIMITS);
    await expect(requests.serve(10_000, async () => 'done')).resolves.toBe('done');
    await expect(requests.serve(10_000, () => Promise.reject(Fault.conflict('taken')))).rejects.toThrow('taken');
    expect(requests.count).toBe(0);
  });

  it('are answered by their deadline, and count until the work on them ends', async () => {
    const requests = new PendingRequests(LIMITS);
    const work = Promise.withResolvers<string>();
    const late = expect(requests.serve(10_000, () => work.promise)).rejects.toMatchObject({ kind: 'unavailable' });
    const patient = requests.serve(60_000, () => work.promise);
    jest.advanceTimersByTime(10_250);
    await late;
    expect(requests.count).toBe(2);
    await expect(requests.serve(10_000, never)).rejects.toMatchObject({ kind: 'unavailable', effect: 'none' });
    work.resolve('in the end');
    await expect(patient).resolves.toBe('in the end');
    expect(requests.count).toBe(0);
    expect(jest.getTimerCount()).toBeLessThanOrEqual(1);
  });

  it('share one timer', () => {
    const requests = new PendingRequests({ requests: 1_000, bytes: 0 });
    for (let i = 0; i < 1_000; i++) void requests.serve(10_000, never).catch(() => undefined);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('reject at their deadline with the fault of their state', async () => {
    const requests = new PendingRequests(LIMITS);
    const rejection = (change: (request: PendingRequest) => void) => {
      const answer = requests.serve(10_000, (request) => {
        change(request);
        return never();
      });
      return expect(answer).rejects;
    };
    const late = new Fault('unavailable', 'perhaps', { effect: 'possible' });
    const all = [
      rejection((request) => (request.isArriving = true)).toBeInstanceOf(SlowBody),
      rejection((request) => (request.late = late)).toBe(late),
    ];
    jest.advanceTimersByTime(10_250);
    await Promise.all(all);
  });

  it('retain a bounded number of bytes', async () => {
    const requests = new PendingRequests(LIMITS);
    const ended = Promise.withResolvers<void>();
    const first = requests.serve(10_000, (request) => {
      requests.hold(request, 6);
      return ended.promise;
    });
    const hold = () => requests.serve(10_000, async (request) => requests.hold(request, 6));
    await expect(hold()).rejects.toMatchObject({ kind: 'unavailable', effect: 'none' });
    ended.resolve();
    await first;
    await expect(hold()).resolves.toBeUndefined();
  });
});
