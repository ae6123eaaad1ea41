import { systemClock } from '@tidings/kernel';
import { Registry } from 'prom-client';
import { operationsOf } from './service-operations.ts';

describe('the operations of a service', () => {
  const called: string[] = [];
  const work = (name: string) => async () => {
    called.push(name);
    return [name];
  };
  beforeEach(() => void called.splice(0));

  it('report its own work before the work that all its processes share', async () => {
    const operations = operationsOf(
      { clock: systemClock, metrics: new Registry() },
      { own: work('own'), shared: work('shared') },
    );
    expect(await operations.settled({})).toEqual({ open: ['own', 'shared'], deletions: [] });
    expect(called).toEqual(['own', 'shared']);
  });

  it('report its own work alone, without a query for the rest', async () => {
    const operations = operationsOf(
      { clock: systemClock, metrics: new Registry() },
      { own: work('own'), shared: work('shared') },
    );
    expect(await operations.settled({ ownOnly: true })).toEqual({ open: ['own'], deletions: [] });
    expect(called).toEqual(['own']);
  });

  it('report everything in any case if each process needs a query for everything', async () => {
    const operations = operationsOf({ clock: systemClock, metrics: new Registry() }, work('all'));
    expect(await operations.settled({ ownOnly: true })).toEqual({ open: ['all'], deletions: [] });
  });

  it('report deletions only on request, and then nothing else', async () => {
    const deletions = [{ service: 'own', application: 'A', devices: 1n }];
    const operations = operationsOf(
      { clock: systemClock, metrics: new Registry() },
      { own: work('own'), shared: work('shared'), deletions: async () => deletions },
    );
    expect(await operations.settled({})).toEqual({ open: ['own', 'shared'], deletions: [] });
    expect(await operations.settled({ deletions: true })).toEqual({ open: [], deletions });
  });
});
