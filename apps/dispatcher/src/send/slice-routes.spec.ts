import { beforeEach, describe, expect, it } from '@jest/globals';
import { apnsRefusal, localResults, type SendResult, sent } from '@tidings/channels';
import { columnsOf, untried } from '@tidings/delivery';
import type { PushListener, Sender } from '../channels/channel-port.ts';
import { Paces } from '../pace/pace.ts';
import { MemoryPaces, MemoryThrottles } from '../testing/memory-store.ts';
import { sendBatch } from '../testing/test-batches.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import { Throttles } from '../throttle/throttles.ts';
import { type RunEnd, SliceRun } from './slice-run.ts';

const DEVICES = 6;
const START = 1_000_000;

class TwoProviders implements Sender {
  readonly credential = 'one';
  readonly settings = { reference: 'AAAAA-00000/11', version: 1 };
  readonly written: number[] = [];
  readonly #routes = [{}, {}] as const;
  readonly #waiting: (() => void)[] = [];
  isBusy = false;
  oddDownUntil = 0;
  oddThrottledUntil = 0;
  answer: SendResult = sent;

  prepare = async (): Promise<undefined> => undefined;
  failure = () => localResults.unreachable;
  refresh = async (): Promise<void> => undefined;
  routeOf = (device: number): object => this.#routes[device % 2]!;
  downUntil = (device: number): number => (device % 2 === 1 ? this.oddDownUntil : 0);
  throttledUntil = (device: number): number => (device % 2 === 1 ? this.oddThrottledUntil : 0);

  push(device: number, tag: number, _deadline: number, listener: PushListener): 'written' | 'busy' {
    const isShut = this.isBusy || this.oddDownUntil > 0 || this.oddThrottledUntil > 0;
    if (device % 2 === 1 && isShut) return 'busy';
    this.written.push(device);
    setImmediate(() => listener.answered(tag, this.answer));
    return 'written';
  }

  whenReady(run: () => void): void {
    this.#waiting.push(run);
  }

  open(): void {
    this.isBusy = false;
    for (const run of this.#waiting.splice(0)) run();
  }
}

describe('a run over several routes', () => {
  let time: VirtualTime;
  let sender: TwoProviders;
  let end: RunEnd | undefined;
  let stops: { has: () => boolean; isFresh: boolean; whenFresh: (pump: () => void) => void };

  beforeEach(() => {
    time = new VirtualTime(START);
    sender = new TwoProviders();
    end = undefined;
    stops = { has: () => false, isFresh: true, whenFresh: () => undefined };
  });

  const run = async (ms: number): Promise<void> => {
    const devices = Array.from({ length: DEVICES }, (_, position) => ({ position, token: `t${position}` }));
    const batch = sendBatch([{ number: 0, devices }]);
    const clock = { now: () => time.now() };
    const slice = new SliceRun({
      batch,
      columns: columnsOf(batch),
      sender,
      clock,
      timers: time.timers(() => true),
      random: 0.5,
      pending: devices.map((_, device) => ({ device, progress: untried })),
      epoch: { id: 'e', alive: () => true, open: 0 },
      paces: new Paces({ store: new MemoryPaces().over(), timers: time.timers(() => true), onError: () => undefined }),
      throttles: new Throttles({ store: new MemoryThrottles().over(), clock, onError: () => undefined }),
      stops,
      probe: false,
      cutoff: START + 2_000,
      deadline: START + 3_000,
      claimedAt: START,
      ttlSecondsOf: () => undefined,
      hasContentFor: () => true,
      onFault: () => undefined,
      onAnswer: () => undefined,
      onFirstAnswer: () => undefined,
    });
    void slice.run().then((state) => (end = state));
    await time.run(START + ms);
  };
  const outcome = (): { readonly settled: number[]; readonly waiting: number[]; readonly blockedUntil: number } => {
    if (!end || end.lost) throw new Error('the run has not ended');
    const settled = end.results.map(({ position }) => position);
    return { settled, waiting: end.waiting.map(({ device }) => device), blockedUntil: end.blockedUntil };
  };

  it('writes to one provider while another has no room', async () => {
    sender.isBusy = true;
    await run(1_000);
    expect(sender.written).toEqual([0, 2, 4]);
    sender.open();
    await time.run(START + 1_500);
    expect(sender.written).toEqual([0, 2, 4, 1, 3, 5]);
    expect(outcome()).toMatchObject({ settled: [0, 1, 2, 3, 4, 5], waiting: [] });
  });

  it('writes nothing until it knows of stops, and then nothing of a stopped message', async () => {
    let pump = (): void => undefined;
    stops = { has: () => false, isFresh: false, whenFresh: (run) => void (pump = run) };
    await run(1_000);
    expect(sender.written).toEqual([]);
    stops.isFresh = true;
    stops.has = () => true;
    pump();
    await time.run(START + 1_100);
    expect(sender.written).toEqual([]);
    expect(outcome()).toMatchObject({ settled: [0, 1, 2, 3, 4, 5], waiting: [] });
  });

  it('defers the devices of a provider that has no room until the end', async () => {
    sender.isBusy = true;
    await run(2_500);
    expect(outcome()).toMatchObject({ settled: [0, 2, 4], waiting: [1, 3, 5] });
  });

  it('defers the devices of a provider that is down, at once', async () => {
    sender.oddDownUntil = START + 700;
    await run(10);
    expect(outcome()).toEqual({ settled: [0, 2, 4], waiting: [1, 3, 5], blockedUntil: START + 700 });
    expect(end).toMatchObject({ waiting: [{ progress: { tries: 0, firstTriedAt: START } }, {}, {}] });
  });

  it('defers the devices of a provider that throttles the credential as untried', async () => {
    sender.oddThrottledUntil = START + 60_000;
    await run(10);
    expect(outcome()).toEqual({ settled: [0, 2, 4], waiting: [1, 3, 5], blockedUntil: START + 60_000 });
    expect(end).toMatchObject({ waiting: [{ progress: { tries: 0, firstTriedAt: 0 } }, {}, {}] });
  });

  it('is due with the first retry of the others, not with the devices of a throttling provider', async () => {
    sender.oddThrottledUntil = START + 900_000;
    sender.answer = apnsRefusal(500, '{"reason":"InternalServerError"}').result;
    await run(10);
    expect(outcome()).toMatchObject({ settled: [], waiting: [0, 1, 2, 3, 4, 5] });
    expect(outcome().blockedUntil - START).toBeGreaterThan(500);
    expect(outcome().blockedUntil - START).toBeLessThan(2_000);
  });
});
