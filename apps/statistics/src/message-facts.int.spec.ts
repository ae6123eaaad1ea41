import { expect, it } from '@jest/globals';
import { MessageEvent } from '@tidings/events';
import { describeWithMongo } from '@tidings/testing';
import { openMessageFacts } from './message-facts.ts';

const DAY_MS = 86_400_000;
const AT = new Date('2026-03-01T10:00:00Z');
const after = (days: number): Date => new Date(AT.getTime() + days * DAY_MS);

describeWithMongo('data on a message beside its sets', (mongo) => {
  it('expires figures 365 days after the send date, those of hidden messages after 7, and those of purged ones at once', async () => {
    const facts = openMessageFacts(mongo.db);
    const accepted = (code: string, value: object) =>
      MessageEvent.fromPartial({ code, at: AT, event: { $case: 'accepted', value } });
    await facts.apply([
      accepted('plain', { sendAt: AT }),
      accepted('scheduled', { sendAt: after(364) }),
      accepted('hidden', { sendAt: AT, hidden: true }),
      accepted('purged', { sendAt: AT }),
      MessageEvent.fromPartial({
        code: 'purged',
        at: after(1),
        event: { $case: 'purged', value: { application: 'AAAAA-BBBBB', whole: true } },
      }),
    ]);
    const expired = async (days: number) => (await facts.expired(after(days), 10)).toSorted();
    expect(await expired(1.1)).toEqual(['purged']);
    expect(await expired(7.1)).toEqual(['hidden', 'purged']);
    expect(await expired(365.1)).toEqual(['hidden', 'plain', 'purged']);
    expect(await expired(728.9)).toEqual(['hidden', 'plain', 'purged']);
    expect(await expired(729.1)).toEqual(['hidden', 'plain', 'purged', 'scheduled']);
  });
});
