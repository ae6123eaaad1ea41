import { describe, expect, it } from '@jest/globals';
import { mulberry32 } from '../../libs/testing/src/drawn.ts';
import { type Lane, Network, type Piece, type Service } from './queues.ts';

const piece = (lane: Lane, since = 0, process = [0, 0]): Piece => ({ lane, since, process, pushes: 1, application: 0 });
const service = (seconds: Readonly<Record<Lane, number>>, next: readonly number[] = [], processes = 1): Service => ({
  processes,
  cost: ({ lane }) => seconds[lane],
  next: { direct: next, broadcast: next },
});

const completedBy = (services: readonly Service[], enter: (network: Network) => void) => {
  const completed: [Lane, number, number][] = [];
  const network = new Network(services, ({ lane }, index, at) => completed.push([lane, index, at]));
  enter(network);
  network.work();
  return { completed, network };
};

describe('a process', () => {
  it('does one piece of work after the other', () => {
    const { completed } = completedBy([service({ direct: 2, broadcast: 1 })], (network) => {
      network.enter(piece('direct'), 0, 0);
      network.enter(piece('direct'), 0, 0);
    });
    expect(completed).toEqual([
      ['direct', 0, 2],
      ['direct', 0, 4],
    ]);
  });

  it('gives both lanes the same time while both wait, and otherwise all of it to one', () => {
    const { completed } = completedBy([service({ direct: 1, broadcast: 3 })], (network) => {
      network.enter(piece('broadcast'), 0, 0);
      network.enter(piece('broadcast'), 0, 0);
      for (let i = 0; i < 5; i++) network.enter(piece('direct'), 0, 0);
    });
    expect(completed.map(([lane, , at]) => [lane, at])).toEqual([
      ...[['broadcast', 3] as const, ['direct', 4], ['direct', 5], ['direct', 6]],
      ...[['direct', 7] as const, ['broadcast', 10], ['direct', 11]],
    ]);
  });

  it('passes a finished piece of work to all that take it next', () => {
    const { completed } = completedBy(
      [
        service({ direct: 1, broadcast: 1 }, [1, 2]),
        service({ direct: 5, broadcast: 5 }),
        service({ direct: 2, broadcast: 2 }),
      ],
      (network) => network.enter(piece('direct', 0, [0, 0, 0]), 0, 0),
    );
    expect(completed).toEqual([
      ['direct', 0, 1],
      ['direct', 2, 3],
      ['direct', 1, 6],
    ]);
  });
});

describe('a network', () => {
  it('counts the work of each process, and its unfinished work', () => {
    const network = new Network([service({ direct: 2, broadcast: 1 }, [], 2)], () => {});
    for (const process of [0, 0, 1]) network.enter(piece('direct', 0, [process]), 0, 0);
    network.work(2);
    expect(network.offered()).toEqual([[4, 2]]);
    expect(network.waiting()).toEqual([[2, 0]]);
  });

  it('delays random arrivals as long as the formula for queues with one server and constant work', () => {
    const [draw, work, load] = [mulberry32(1), 1, 0.8];
    let [waited, count] = [0, 0];
    const network = new Network([service({ direct: work, broadcast: work })], ({ since }, _, at) => {
      waited += at - since - work;
      count++;
    });
    for (let at = 0; count < 50_000; at -= Math.log(1 - draw()) / load) {
      network.work(at);
      network.enter(piece('direct', at), 0, at);
    }
    expect(waited / count / ((load * work) / (2 * (1 - load)))).toBeCloseTo(1, 1);
  });
});
