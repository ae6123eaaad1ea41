import { expect, it } from '@jest/globals';
import { channelBatches } from '../testing/channel-batches.ts';
import { TcpProxy } from '../testing/tcp-proxy.ts';
import { type ChannelDeps, LaneWorld } from '../testing/lane-world.ts';
import { PROVIDER_HOST, TestNames } from '../testing/test-names.ts';
import { type Simulators, startSimulators } from '../testing/test-simulators.ts';
import type { Channel } from './channel-port.ts';
import { type ChannelSubject, links } from '../testing/channel-subject.ts';

interface Scene {
  readonly simulators: Simulators;
  readonly world: LaneWorld;
  readonly names: TestNames;
  proxy(address: string, forwards?: boolean): Promise<TcpProxy>;
}

const UNKNOWN = 'INTERNAL_ERROR 0 unknown_outcome';

function named(simulators: Simulators): Simulators {
  const byName = (url: string): string => url.replace('127.0.0.1', PROVIDER_HOST);
  const { apnsUrl, fcmUrl, webPushUrl, smtpUrl, urlOf } = simulators;
  return {
    ...simulators,
    urlOf: (provider) => byName(urlOf(provider)),
    apnsUrl: byName(apnsUrl),
    fcmUrl: byName(fcmUrl),
    webPushUrl: byName(webPushUrl),
    smtpUrl: byName(smtpUrl),
  };
}

export function networkFeatures(subject: ChannelSubject): void {
  const { name, protocol = 'HTTP/2', isNamed = true, atMostOnce = false, inDoubtMax = 0 } = subject;
  const { accepted, batch } = channelBatches(subject);
  if (!isNamed) return;

  const scenario = (title: string, test: (scene: Scene) => Promise<void>): void =>
    it.concurrent.each(links[protocol])(`${title}, over %s`, async (_, openLink) => {
      const simulators = await startSimulators({ control: false, maxConcurrentStreams: 100 });
      const byName = named(simulators);
      const names = new TestNames();
      const open = (parts: ChannelDeps): Channel => subject.open(parts, byName);
      const { clock } = simulators;
      const earlyMs = protocol === 'HTTP/1.1' ? 26_000 : 0;
      const world = new LaneWorld(subject.credentials(byName), open, clock, openLink, {
        expiresEarlyMs: earlyMs,
        lookup: names.lookup,
      });
      const proxies: TcpProxy[] = [];
      const proxy = async (address: string, forwards = true): Promise<TcpProxy> => {
        const opened = await TcpProxy.open(address, Number(new URL(simulators.urlOf(name)).port), forwards);
        proxies.push(opened);
        return opened;
      };
      try {
        await test({ simulators, world, names, proxy });
      } finally {
        await world.close();
        for (const each of proxies) each.close();
        await simulators.close();
      }
    });

  scenario('waits for the name of a provider that is unknown, or not answered', async ({ world, names }) => {
    names.next.push('ENOTFOUND', 'silence', 'EAI_AGAIN', 'ENOTFOUND');
    const outcomes = await world.send(batch(accepted(20)));
    expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
    expect(names.next).toEqual([]);
  });

  scenario('reaches a provider at its next address if the first ones are dead', async ({ world, names, proxy }) => {
    await proxy('127.0.0.3', false);
    await proxy('127.0.0.4');
    names.answer = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
    const outcomes = await world.send(batch(accepted(20)));
    expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
  });

  scenario('follows a provider to another address while connections are open', async ({ world, names, proxy }) => {
    const before = await proxy('127.0.0.3');
    await proxy('127.0.0.4');
    names.answer = ['127.0.0.3'];
    const first = accepted(10);
    await world.send(batch(first));
    names.answer = ['127.0.0.4'];
    before.vanish();
    const startedAt = Date.now();
    const outcomes = await world.send(batch(accepted(20), { bucket: 1 }));
    const doubtful = [...outcomes.values()].filter((outcome) => outcome !== 'SENT');
    expect(doubtful.filter((outcome) => outcome !== UNKNOWN || !atMostOnce)).toEqual([]);
    expect(doubtful.length).toBeLessThanOrEqual(inDoubtMax);
    if (protocol !== 'SMTP') expect(Date.now() - startedAt).toBeLessThan(33_000);
  });
}
