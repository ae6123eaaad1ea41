import { expect, it } from '@jest/globals';
import type { Content, SendBatch } from '@tidings/events';
import { openFrameLink } from '@tidings/http2';
import { type DocumentedReply, documentedReplies } from '@tidings/testing';
import { type ChannelDeps, LaneWorld } from '../testing/lane-world.ts';
import { content as contentOf, sendBatch, type TestDevice } from '../testing/test-batches.ts';
import type { TestCredentials } from '../testing/test-credentials.ts';
import { type ProviderName, type Simulators, startSimulators } from '../testing/test-simulators.ts';
import type { Channel } from './channel-port.ts';

export type ReplyOfToken = readonly [phrase: string, codes: string, token: string, columns?: TestDevice['columns']];

export interface ReplySubject {
  readonly name: ProviderName;
  readonly provider: string;
  readonly platform: number;
  credentials(simulators: Simulators): TestCredentials;
  open(parts: ChannelDeps, simulators: Simulators): Channel;
  readonly content?: Partial<Content>;
  readonly replies: readonly ReplyOfToken[];
}

const table = documentedReplies();

function documented({ provider }: ReplySubject, [phrase, codes]: ReplyOfToken): DocumentedReply {
  const found = table.find(
    (each) => each.provider === provider && each.phrase === phrase && each.codes.join(' ') === codes,
  );
  if (!found) throw new Error(`the table of R-P3 has no ${provider} ${phrase} ${codes}`);
  return found;
}

export function replyFeatures(subject: ReplySubject): void {
  const { name, platform, content, replies } = subject;
  const cases = replies.map((reply, position) => {
    const [, , token, columns] = reply;
    const device: TestDevice = { position, token, ...(columns && { columns }) };
    return { ...documented(subject, reply), device };
  });
  const batch = (devices: readonly TestDevice[]): SendBatch =>
    sendBatch([{ number: 0, devices }], {
      platform,
      credential: { application: 'AAAAA-00000', platform, version: 1 },
      content: contentOf(content),
    });

  it(`T8: the ${replies.length} replies of ${subject.provider} have the effect that R-P3 lists`, async () => {
    const simulators = await startSimulators({ control: false });
    const inLane = async (test: (world: LaneWorld) => Promise<void>): Promise<void> => {
      const open = (parts: ChannelDeps): Channel => subject.open(parts, simulators);
      const world = new LaneWorld(subject.credentials(simulators), open, simulators.clock, openFrameLink);
      try {
        await test(world);
      } finally {
        await world.close();
      }
    };
    const requestCount = (): number => {
      const { accepted, refused } = simulators.ledger.summary()[name];
      return accepted + refused;
    };
    const [waiting, settled] = [true, false].map((waits) =>
      cases.filter(({ then }) => then.startsWith('retried') === waits),
    ) as [typeof cases, typeof cases];
    try {
      await inLane(async (world) => {
        const outcomes = await world.send(batch(settled.map(({ device }) => device)));
        expect(settled.map(({ phrase, codes, device }) => [phrase, codes, outcomes.get(device.position)])).toEqual(
          settled.map(({ phrase, codes, category }) => [phrase, codes, expect.stringMatching(`^${category}( |$)`)]),
        );
        const dead = settled.filter(({ then }) => then === 'the token is invalidated');
        expect(world.results.flatMap(({ deadTokens }) => deadTokens.map(({ token }) => token)).toSorted()).toEqual(
          dead.map(({ device }) => device.token).toSorted(),
        );
        expect(requestCount()).toBe(settled.length + settled.filter(({ then }) => then.startsWith('once')).length);
      });
      for (const { phrase, codes, device } of waiting) {
        const before = requestCount();
        await inLane(async (world) => {
          await world.dispatch(batch([device]));
          expect([phrase, codes, world.deviceOutcomes().size, world.open().length]).toEqual([phrase, codes, 0, 1]);
        });
        expect([phrase, codes, requestCount() - before]).toEqual([phrase, codes, 1]);
      }
    } finally {
      await simulators.close();
    }
  });
}
