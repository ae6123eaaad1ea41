import { describe, expect, it } from '@jest/globals';
import { layOut } from './layout.ts';

const mail = { MAIL_BOUNCE_DOMAIN: 'bounces.example.com' };
const portOf = (url: string): number => Number(new URL(url).port);

describe('the ports of a cluster', () => {
  const laidOut = async (ports: Readonly<Record<'port' | 'mailPort' | 'eventsPort', number>>) => {
    const members = await layOut({ apps: 'apps', folder: 'data', replicas: () => 2, ...ports }, mail);
    const [gateway] = members.filter(({ service }) => service === 'gateway');
    const [webhooks] = members.filter(({ service }) => service === 'webhooks');
    return { members, first: [portOf(gateway!.url), gateway!.mailPort, webhooks!.eventsPort] };
  };

  it('are those that the operator sets, of the first process of their service', async () => {
    expect((await laidOut({ port: 11, mailPort: 12, eventsPort: 13 })).first).toEqual([11, 12, 13]);
  });

  it('are free ones if the operator sets 0', async () => {
    const { members, first } = await laidOut({ port: 0, mailPort: 0, eventsPort: 0 });
    const all = members.flatMap(({ ports: { grpc, http, mail, events } }) => [grpc, http, mail, events]);
    expect(all.every((port) => port > 0)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual(expect.arrayContaining(first));
  });
});

describe('the addresses of a cluster', () => {
  const laidOut = async (reach: { readonly host?: string; readonly publicUrl?: string }) => {
    const members = await layOut({ apps: 'apps', folder: 'data', port: 11, ...reach }, mail);
    const hosts = new Map(members.map(({ service, environment }) => [service, environment['HOST']]));
    const [registry, gateway] = ['registry', 'gateway'].map((name) => members.find(({ service }) => service === name));
    return { hosts, registry: registry!, gateway: gateway! };
  };

  it('are on the loopback address, and so is the base of links, unless the operator sets others', async () => {
    const { hosts, registry, gateway } = await laidOut({});
    expect(new Set(hosts.values())).toEqual(new Set(['127.0.0.1']));
    expect(gateway.url).toBe('http://127.0.0.1:11');
    expect(registry.environment['PUBLIC_URL']).toBe('http://127.0.0.1:11');
  });

  it('give the public address to every process', async () => {
    const { registry, gateway } = await laidOut({ publicUrl: 'https://push.example.com' });
    for (const { environment } of [registry, gateway])
      expect(environment['PUBLIC_URL']).toBe('https://push.example.com');
  });

  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '[2001:db8::1]'],
  ])('are on %s for external clients, and reached at %s', async (host, reached) => {
    const { hosts, registry, gateway } = await laidOut({ host });
    const { gateway: gateways, webhooks, ...inner } = Object.fromEntries(hosts);
    expect([gateways, webhooks]).toEqual([host, host]);
    expect(new Set(Object.values(inner))).toEqual(new Set(['127.0.0.1']));
    expect(gateway.url).toBe(`http://${reached}:11`);
    expect(registry.environment).toMatchObject({
      PUBLIC_URL: `http://${reached}:11`,
      GATEWAY_ADDRESS: `${reached}:${gateway.ports.grpc}`,
    });
  });
});

describe('a cluster of groups', () => {
  it('has a process for each group, which the services of the others find by one address', async () => {
    const groups = [
      { name: 'intake', services: ['gateway', 'webhooks'] },
      { name: 'rest', services: ['registry', 'dispatcher'], channels: ['apns', 'fcm'] },
    ] as const;
    const replicas = (name: string): number => (name === 'rest' ? 2 : 1);
    const [intake, ...rest] = await layOut({ apps: 'apps', folder: 'data', port: 11, replicas, groups }, mail);
    expect(rest.map(({ name }) => name)).toEqual(['rest-0', 'rest-1']);
    expect(intake!.environment).toMatchObject({ TIDINGS_SERVICES: 'gateway,webhooks', PORT: '11' });
    expect(intake!.environment).not.toHaveProperty('TIDINGS_CHANNEL');
    expect(new Set([intake!.mailPort, intake!.eventsPort, intake!.ports.http, intake!.ports.grpc]).size).toBe(4);
    const addresses = rest.map(({ grpcAddress }) => grpcAddress).join(',');
    for (const { environment } of rest) {
      expect(environment).toMatchObject({
        TIDINGS_SERVICES: 'registry,dispatcher',
        TIDINGS_CHANNEL: 'apns,fcm',
        GATEWAY_ADDRESS: intake!.grpcAddress,
        WEBHOOKS_ADDRESS: intake!.grpcAddress,
        REGISTRY_ADDRESS: addresses,
        DISPATCHER_ADDRESS: addresses,
      });
    }
    const names = ['rest', 'registry', 'dispatcher', 'dispatcher.fcm', 'dispatcher.hms', 'gateway'];
    for (const member of rest) expect(names.filter((name) => member.runs(name))).toEqual(names.slice(0, 4));
  });
});
