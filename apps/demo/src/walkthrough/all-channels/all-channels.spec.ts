import { describe, expect, it } from '@jest/globals';
import type { ReplyOf } from '@tidings/client';
import { channels } from '@tidings/kernel';
import * as simulators from '@tidings/simulators';
import { type ChannelFigures, channelFigures, channelsTable, type Entry, faultsInChannel } from './channel-figures.ts';
import { channelDeviceOf, channelPlatforms, type Reaction } from './channel-population.ts';

type Funnel = ReplyOf<'getDeliveryFunnel'>;

const devices = Array.from({ length: 260 }, (_, n) => channelDeviceOf(n));
const tokenOf = (name: string, reaction: Reaction, n: number): string =>
  channelPlatforms.find((each) => each.name === name)!.tokenOf(reaction, n);

describe('the devices of all channels', () => {
  it('are on every channel, each with every reaction', () => {
    expect(new Set(channelPlatforms.map(({ channel }) => channel))).toEqual(new Set(channels));
    const shown = new Set(devices.map(({ platform, reaction }) => `${platform.name} ${reaction}`));
    expect(shown.size).toBe(3 * channelPlatforms.length - 1);
    expect(new Set(devices.map(({ token }) => token)).size).toBe(devices.length);
    expect(devices.filter(({ isAddressed }) => !isAddressed)).toHaveLength(devices.length / 10);
  });

  it('have the tokens that simulators recognise', () => {
    const { apnsToken, fcmToken, lineUser, mailAddress, simulatedPhone, smsNumber, specialToken, wnsChannelPath } =
      simulators;
    expect(tokenOf('iOS', 'refuses', 4)).toBe(apnsToken('dead', 4));
    expect(tokenOf('macOS', 'asks to repeat once', 4)).toBe(apnsToken('throttled', 4));
    expect(tokenOf('Android', 'asks to repeat once', 4)).toBe(fcmToken('reset', 4));
    expect(tokenOf('Chrome', 'refuses', 4)).toBe(simulators.webPushSubscription('dead', 4).path);
    expect(tokenOf('Firefox', 'asks to repeat once', 4)).toBe(simulators.webPushSubscription('throttled', 4).path);
    expect(tokenOf('Huawei', 'accepts', 4)).toBe(specialToken('accepted', 4));
    expect(tokenOf('Amazon', 'asks to repeat once', 4)).toBe(specialToken('throttled', 4));
    for (const [reaction, kind] of [
      ['accepts', 'accepted'],
      ['refuses', 'dead'],
      ['asks to repeat once', 'throttled'],
    ] as const) {
      expect(tokenOf('Windows', reaction, 17)).toBe(wnsChannelPath(kind, 17));
      expect(tokenOf('SMS', reaction, 17)).toBe(smsNumber(kind, 17));
      expect(tokenOf('WhatsApp', reaction, 17)).toBe(simulatedPhone(kind, 17));
      expect(`+${tokenOf('Kakao', reaction, 17)}`).toBe(simulatedPhone(kind, 17));
      expect(tokenOf('LINE', reaction, 17)).toBe(lineUser(kind, 17));
    }
    expect(tokenOf('E-mail', 'accepts', 4)).toBe(mailAddress('accepted', 4));
    expect(tokenOf('E-mail', 'refuses', 4)).toBe(mailAddress('dead', 4));
  });
});

describe('the figures of all channels', () => {
  const entriesIn = (channel: string): Entry[] =>
    devices
      .filter(({ platform, isAddressed }) => isAddressed && platform.channel === channel)
      .flatMap(({ token, reaction, name }): Entry[] => {
        const refused = { token, reason: 'refused' };
        const accepted = { token, reason: 'accepted', payload: `Hello ${name}` };
        if (reaction === 'refuses') return [refused];
        return reaction === 'accepts' ? [accepted] : [refused, accepted];
      });
  const ledger = new Map(channelPlatforms.map(({ channel, provider = channel }) => [provider, entriesIn(channel)]));
  const stage = (name: string, counts: (code: number) => number) => ({
    stage: name,
    pieces: [],
    platforms: channelPlatforms.map(({ code }) => ({ platform: code, count: String(counts(code)) })),
  });
  const refusals = (code: number): number => (code === 14 ? 0 : 2);
  const funnel = {
    channels: [
      {
        channel: 'CHANNEL_EMAIL',
        funnel: [
          { ...stage('STAGE_DELIVERIES', () => 0), pieces: [{ category: 'BOUNCED_HARD', count: '2', platforms: [] }] },
          stage('STAGE_AUDIENCE', () => 18),
          stage('STAGE_SENT', (code) => 18 - refusals(code)),
          stage('STAGE_ERRORS', refusals),
        ],
      },
    ],
  } as unknown as Funnel;
  const figuresWith = (own: (provider: string) => readonly Entry[]): ChannelFigures[] =>
    channelFigures(devices, [funnel], own);
  const faultsWith = (provider: string, entries: (honest: Entry[]) => Entry[]): string[] =>
    figuresWith((name) => (name === provider ? entries(ledger.get(name)!) : ledger.get(name)!)).flatMap(
      faultsInChannel,
    );

  it('agree, and are shown per channel', () => {
    const figures = figuresWith((provider) => ledger.get(provider)!);
    expect(figures.flatMap(faultsInChannel)).toEqual([]);
    expect(channelsTable(figures)).toMatch(/apns {6}iOS, macOS +36 +32 +4 +0 +32 +4 +4 +0 +0 +yes/);
    expect(channelsTable(figures)).toMatch(/email {5}E-mail +18 +18 +0 +2 +16 +2 +0 +0 +0 +yes/);
  });

  it('report messages that were lost, sent twice, sent to others, or have the text of another', () => {
    const [first, ...others] = ledger.get('smpp')!;
    expect(faultsWith('smpp', () => others)).toEqual([
      'sms: 15 devices whose provider accepted the message, expected 16',
      'sms: 1 devices forgotten, expected 0',
    ]);
    expect(faultsWith('smpp', (honest) => [...honest, first!])).toEqual(['sms: 1 messages sent twice, expected 0']);
    expect(faultsWith('line', (honest) => [...honest, { token: 'U', reason: 'accepted' }])).toEqual([
      'line: 1 messages to devices outside the audience, expected 0',
    ]);
    expect(faultsWith('kakao', ([one, ...rest]) => [{ ...one!, payload: 'Hello' }, ...rest])).toEqual([
      'kakao: 1 messages with the text of others, expected 0',
    ]);
  });

  it('report a difference of the funnel', () => {
    const [apns] = channelFigures(devices, [{ channels: [] } as unknown as Funnel], (name) => ledger.get(name) ?? []);
    expect(faultsInChannel(apns!)).toHaveLength(3);
    expect(channelsTable([apns!])).toMatch(/ NO$/);
  });
});
