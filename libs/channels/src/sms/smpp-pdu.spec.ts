import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  answerTo,
  bindBody,
  Command,
  encodePdu,
  nextSequence,
  PduReader,
  readMessageId,
  readShortMessage,
  senderAddress,
  submitHead,
  submitPdu,
} from './smpp-pdu.ts';
import { PduOutput } from './pdu-output.ts';
import { formsOfId, numberKey, smppReceipt } from './smpp-receipt.ts';

interface Pdu {
  readonly command: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
}

function read(reader: PduReader, chunk: Buffer): readonly Pdu[] {
  const found: Pdu[] = [];
  reader.read(chunk, (command, status, sequence, { bytes, from, to }) => {
    found.push({ command, status, sequence, body: bytes.subarray(from, to) });
    return true;
  });
  return found;
}

describe('PDUs', () => {
  it('begin with length, command, status and sequence number', () => {
    expect(encodePdu(Command.enquireLink, 7).toString('hex')).toBe('00000010000000150000000000000007');
    expect(encodePdu(answerTo(Command.deliverSm), 0x102, Buffer.from([0]), 0x64).toString('hex')).toBe(
      '0000001180000005000000640000010200',
    );
  });

  it('have sequence numbers from 1 to 0x7fffffff', () => {
    expect([nextSequence(0), nextSequence(0x7fff_fffe), nextSequence(0x7fff_ffff)]).toEqual([1, 0x7fff_ffff, 1]);
  });

  it('are read from a stream in any chunks', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(40), { minLength: 1, maxLength: 50 }), (given, lengths) => {
        const stream = Buffer.concat(given.map((body, i) => encodePdu(i, i + 1, body, i + 2)));
        const reader = new PduReader();
        const found: Pdu[] = [];
        for (let at = 0, i = 0; at < stream.length; i++) {
          const to = at + 1 + lengths[i % lengths.length]!;
          found.push(...read(reader, stream.subarray(at, to)));
          at = to;
        }
        expect(found.map(({ command, status, sequence, body }) => [command, status, sequence, [...body]])).toEqual(
          given.map((body, i) => [i, i + 2, i + 1, [...body]]),
        );
      }),
    );
  });

  it('are written at once, without the dropped ones', () => {
    // Longer than a slab, in part.
    const written = fc.array(fc.array(fc.record({ bytes: fc.nat(20_000), isKept: fc.boolean() }), { maxLength: 8 }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(written, (all) => {
        const output = new PduOutput();
        const outputs = all.map((turn) => {
          for (const [i, { bytes }] of turn.entries()) output.add(encodePdu(4, 1, Buffer.alloc(bytes, i)), i + 1);
          output.addEmptyAnswer(Command.deliverSm, turn.length + 1, 0x64);
          expect(output.count).toBe(turn.length + 1);
          return output.take(turn.every(({ isKept }) => isKept) ? undefined : (i) => turn[i]?.isKept ?? true);
        });
        // Read at the end: no turn writes over an earlier one.
        for (const [n, turn] of all.entries()) {
          const kept = turn.flatMap(({ bytes, isKept }, i) =>
            isKept ? [encodePdu(4, i + 1, Buffer.alloc(bytes, i))] : [],
          );
          const answer = encodePdu(answerTo(Command.deliverSm), turn.length + 1, Buffer.from([0]), 0x64);
          expect(outputs[n]!.equals(Buffer.concat([...kept, answer]))).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([0, 15, 65_537, 0xffff_ffff])('end the stream if they have %i bytes', (length) => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(length);
    expect(() => read(new PduReader(), bytes)).toThrow(RangeError);
  });

  it('are read without a fault for any content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const message = readShortMessage(Buffer.from(bytes));
        smppReceipt(message);
        smppReceipt({ ...message, esmClass: 4 });
        expect(readMessageId({ bytes: Buffer.from(bytes), from: 0, to: bytes.length }).length).toBeLessThanOrEqual(
          bytes.length,
        );
      }),
    );
  });
});

describe('answers to a submission', () => {
  it.each([
    ['7a\0', '7a'],
    ['7a', '7a'],
    ['', ''],
  ])('name the message with any bytes behind it: %j', (body, id) => {
    const bytes = Buffer.from(`--${body}==\0`, 'latin1');
    expect(readMessageId({ bytes, from: 2, to: 2 + body.length })).toBe(id);
  });
});

describe('bodies', () => {
  it('bind as a transceiver of version 3.4', () => {
    expect(bindBody('user', 'secret').toString('latin1')).toBe('user\0secret\0\0\x34\0\0\0');
  });

  it.each([
    ['+4915112345678', 1, 1, '4915112345678'],
    ['4915112345678', 1, 1, '4915112345678'],
    ['12345', 3, 0, '12345'],
    ['Example', 5, 0, 'Example'],
  ])('name the sender %s', (sender, ton, npi, address) => {
    expect(senderAddress(sender)).toEqual({ ton, npi, address });
  });

  it('submit a part with its header, and ask for a receipt', () => {
    const [header, userData] = [Buffer.from([5, 0, 3, 9, 2, 1]), Buffer.from('Hello')];
    const head = submitHead(senderAddress('Shop'));
    const output = new PduOutput();
    output.add(submitPdu({ head, to: '+4915112345678', dataCoding: 8, header, userData }), 0x1234_5678);
    const pdu = output.take(undefined);
    const [{ body, ...numbers } = { body: pdu }] = read(new PduReader(), pdu);
    expect(numbers).toEqual({ command: Command.submitSm, status: 0, sequence: 0x1234_5678 });
    expect(readShortMessage(body)).toEqual({
      from: 'Shop',
      to: '4915112345678',
      esmClass: 0x40,
      registeredDelivery: 1,
      dataCoding: 8,
      userData: Buffer.concat([header, userData]),
      optional: new Map(),
    });
    const single = submitPdu({ head, to: '4915112345678', dataCoding: 0, header: undefined, userData });
    expect(readShortMessage(single.subarray(16, single.readUInt32BE(0)))).toMatchObject({
      to: '4915112345678',
      esmClass: 0,
      userData,
    });
  });
});

describe('receipts', () => {
  const deliver = (text: string, optional: readonly (readonly [number, Buffer])[] = [], esmClass = 4) => ({
    from: '4915112345678',
    to: 'Shop',
    esmClass,
    registeredDelivery: 0,
    dataCoding: 0,
    userData: Buffer.from(text, 'latin1'),
    optional: new Map(optional),
  });
  const text = (stat: string) =>
    `id:0A1b sub:001 dlvrd:001 submit date:2601151200 done date:2601151201 stat:${stat} err:000 text:Hi`;
  const id = [0x1e, Buffer.from('77\0')] as const;
  const state = (value: number) => [0x427, Buffer.from([value])] as const;

  it.each([
    [deliver(text('DELIVRD')), ['0A1b', true]],
    [deliver(text('UNDELIV')), ['0A1b', false]],
    [deliver(text('EXPIRED')), ['0A1b', false]],
    [deliver(text('REJECTD')), ['0A1b', false]],
    [deliver('', [id, state(2)]), ['77', true]],
    [deliver(text('UNDELIV'), [id, state(2)]), ['77', true]],
    [deliver('', [id, state(5)]), ['77', false]],
  ])('are read: %#', (message, [id, delivered]) => {
    expect(smppReceipt(message)).toEqual({ id, number: '4915112345678', delivered });
  });

  it.each([
    ['of states that are not final', deliver(text('ENROUTE'))],
    ['of acceptance', deliver('', [id, state(6)])],
    ['without an id', deliver('stat:DELIVRD')],
    ['without a state', deliver('id:7')],
    ['that are messages of phones', deliver(text('DELIVRD'), [], 0)],
  ])('are ignored: those %s', (_, message) => {
    expect(smppReceipt(message)).toBeUndefined();
  });

  it.each([
    ['1A2B', '1a2b'],
    ['6699', '1a2b'],
    ['1a2b', '6699'],
    ['00001A2B', '6699'],
    ['0042', '42'],
    ['f47ac10b-58cc', 'F47AC10B-58CC'],
  ])('find the id %s by %s', (first, second) => {
    expect(formsOfId(first).some((form) => formsOfId(second).includes(form))).toBe(true);
  });

  it('prefer the notation of the id itself, and bound the effort', () => {
    expect(formsOfId('10')).toEqual(['10', 'a', '16']);
    expect(formsOfId('9'.repeat(60))).toEqual(['9'.repeat(60)]);
  });

  it.each(['+4915112345678', '004915112345678', '015112345678'])('find a number by its end: %s', (number) => {
    expect(numberKey(number)).toBe('2345678');
  });

  it('report whose part arrived, wherever the SMSC puts it, and ignore others', () => {
    const id = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF-'), minLength: 1, maxLength: 65 });
    const stat = fc.constantFrom('DELIVRD', 'UNDELIV', 'EXPIRED', 'REJECTD', 'ENROUTE', 'ACCEPTD', 'UNKNOWN');
    fc.assert(
      fc.property(id, stat, fc.boolean(), fc.uint8Array({ maxLength: 40 }), (part, state, isReceipt, text) => {
        const receiptText = `id:${part} sub:001 dlvrd:001 stat:${state} err:000 text:`;
        const message = {
          from: '+4917',
          to: 'Shop',
          esmClass: isReceipt ? 4 : 0,
          registeredDelivery: 0,
          dataCoding: 0,
          userData: Buffer.concat([Buffer.from(receiptText), Buffer.from(text)]),
          optional: new Map<number, Buffer>(),
        };
        const isFinal = isReceipt && !['ENROUTE', 'ACCEPTD'].includes(state);
        const expected = { id: part, number: '+4917', delivered: state === 'DELIVRD' };
        expect(smppReceipt(message)).toEqual(isFinal ? expected : undefined);
        expect(formsOfId(part).length).toBeLessThanOrEqual(3);
      }),
    );
  });
});
