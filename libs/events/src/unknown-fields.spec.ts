import { describe, expect, it } from '@jest/globals';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { bytesOf, facts, MessageEvent, Reports, SliceOutcome } from './index.ts';

const newer = (event: MessageEvent): Uint8Array => {
  const accepted = event.event?.$case === 'accepted' ? event.event.value : undefined;
  const inner = new BinaryWriter()
    .uint32((900 << 3) | 2)
    .string('new')
    .finish();
  const rest = { ...event, event: accepted && { $case: 'accepted' as const, value: accepted } };
  const bytes = MessageEvent.encode({ ...rest, event: undefined }).finish();
  return new BinaryWriter()
    .raw(bytes)
    .uint32((10 << 3) | 2)
    .bytes(inner)
    .uint32((901 << 3) | 0)
    .uint32(7)
    .finish();
};

const event: MessageEvent = MessageEvent.fromPartial({ code: 'code', event: { $case: 'accepted', value: {} } });

describe('unknown fields of an event', () => {
  it('are written back with it, at any depth, by both writers', () => {
    const bytes = newer(event);
    const read = MessageEvent.decode(bytes);
    const changed = { ...read, account: 'changed' };
    for (const written of [MessageEvent.encode(changed).finish(), bytesOf(MessageEvent, changed)]) {
      expect(Buffer.from(written).includes('new')).toBe(true);
      expect(MessageEvent.decode(written)).toEqual(changed);
    }
  });

  it('leave no trace in an event without any', () => {
    const read = MessageEvent.decode(MessageEvent.encode(event).finish());
    expect(Object.keys(read)).not.toContain('_unknownFields');
    expect(read).toEqual(event);
  });

  it('are reported for an unknown kind, and not for known ones', () => {
    const kind = new BinaryWriter()
      .uint32((99 << 3) | 2)
      .bytes(new Uint8Array([1]))
      .finish();
    expect(facts.messages.isKnown(facts.messages.decode(kind))).toBe(false);
    expect(facts.messages.isKnown(facts.messages.decode(newer(event)))).toBe(true);
    expect(facts.plans.isKnown(facts.plans.decode(kind))).toBe(false);
    expect(facts.visits.isKnown(facts.visits.decode(kind))).toBe(false);
    expect(facts.outcomes.isKnown(facts.outcomes.decode(kind))).toBe(false);
    const settled = SliceOutcome.fromPartial({ outcome: { $case: 'settled', value: {} } });
    expect(facts.outcomes.isKnown(settled)).toBe(true);
    expect([1, 12, 99].map((kinds) => facts.reports.isKnown(Reports.fromPartial({ kind: kinds })))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
