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

  it('are those that the operator names, of the first process of their service', async () => {
    expect((await laidOut({ port: 11, mailPort: 12, eventsPort: 13 })).first).toEqual([11, 12, 13]);
  });

  it('are free ones where the operator names 0', async () => {
    const { members, first } = await laidOut({ port: 0, mailPort: 0, eventsPort: 0 });
    const all = members.flatMap(({ ports: { grpc, http, further } }) => [grpc, http, further]);
    expect(all.every((port) => port > 0)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual(expect.arrayContaining(first));
  });
});
