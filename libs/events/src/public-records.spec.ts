import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { MessageEvent, publicTopics, ReportKind, Reports, shownRecord } from './index.ts';

describe('records of public topics', () => {
  it('are those of the AsyncAPI document, except dead letters', () => {
    const text = readFileSync(new URL('./generated/asyncapi.json', import.meta.url), 'utf8');
    const { channels } = JSON.parse(text) as { channels: Record<string, { address: string }> };
    const documented = Object.values(channels).map(({ address }) => address);
    const known = documented.filter((topic) => publicTopics.includes(topic));
    expect(known.toSorted()).toEqual(publicTopics.toSorted());
  });

  it('are shown as JSON', () => {
    const at = new Date('2026-01-15T12:00:00Z');
    const event = MessageEvent.fromPartial({
      code: 'C',
      id: 9_007_199_254_740_993n,
      at,
      event: { $case: 'released', value: {} },
    });
    expect(shownRecord('tidings.messages', MessageEvent.encode(event).finish())).toMatchObject({
      code: 'C',
      id: '9007199254740993',
      at: '2026-01-15T12:00:00.000Z',
      event: { released: {} },
    });
    const reports = Reports.fromPartial({ message: 'C', kind: ReportKind.REPORT_KIND_OPENED });
    expect(shownRecord('tidings.reports', Reports.encode(reports).finish())).toMatchObject({ message: 'C' });
    expect(shownRecord('tidings.reports', Buffer.from('ffff', 'hex'))).toBeUndefined();
    expect(shownRecord('tidings.fanout', Buffer.alloc(0))).toBeUndefined();
  });
});
