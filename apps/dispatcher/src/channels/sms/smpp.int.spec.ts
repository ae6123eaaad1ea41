import { createServer, type Server, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { ReportKind, Reports, type SendBatch } from '@tidings/events';
import { openFrameLink } from '@tidings/http2';
import { Platform, ShiftedClock } from '@tidings/kernel';
import { collectionOf, createCollections } from '@tidings/mongo';
import { describeWithMongo, until } from '@tidings/testing';
import { smsPartsModel, smsProgressModel, smsReceiptsModel } from './sms.schema.ts';
import { LaneWorld } from '../../testing/lane-world.ts';
import { content, sendBatch } from '../../testing/test-batches.ts';
import {
  REFUSED_PASSWORD,
  smsNumber,
  smsReceiptNumber,
  smsRefusedTryNumber,
  type Simulators,
  startSimulators,
} from '../../testing/test-simulators.ts';
import { smsChannel } from './sms-channel.ts';
import { SmsReceipts } from './sms-receipts.ts';

const LONG = `${'Long text. '.repeat(30)}€`;

interface Ledger {
  readonly text: string;
  readonly part: number;
  readonly parts: number;
  readonly reference: number;
}

describeWithMongo('SMPP', (mongo) => {
  let simulators: Simulators;
  const worlds: LaneWorld[] = [];
  let delivered: number[];
  let messages = 0;

  beforeAll(() => createCollections(mongo.db, [smsPartsModel, smsReceiptsModel, smsProgressModel]));
  beforeEach(async () => {
    delivered = [];
    simulators = await startSimulators({ control: false, keepPayloads: true });
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
    await simulators.close();
  });

  const settingsOf = (url: string, more: Readonly<Record<string, string>> = {}) => ({
    [Platform.Sms]: {
      settings: {
        sms_smpp_host: '127.0.0.1',
        sms_smpp_port: new URL(url).port,
        sms_system_id: `system${messages}`,
        sms_password: 'secret',
        sms_sender: 'Shop',
        ...more,
      },
    },
  });

  function openWorld(
    settings = settingsOf(simulators.urlOf('smpp')),
    partsStore = collectionOf(mongo.db, smsPartsModel),
  ): LaneWorld {
    const opened = new LaneWorld(
      settings,
      (parts) =>
        smsChannel({
          ...parts,
          receipts: new SmsReceipts({
            parts: partsStore,
            receipts: collectionOf(mongo.db, smsReceiptsModel),
            progress: collectionOf(mongo.db, smsProgressModel),
            publish: async ({ value }) => {
              const { kind, positions, application, platforms } = Reports.decode(value);
              expect([kind, application, platforms]).toEqual([
                ReportKind.REPORT_KIND_DELIVERED,
                'AAAAA-00000',
                [Platform.Sms],
              ]);
              delivered.push(...positions);
            },
            clock: new ShiftedClock(),
          }),
          onError: (error) => {
            throw error;
          },
        }),
      simulators.clock,
      openFrameLink,
    );
    worlds.push(opened);
    return opened;
  }

  function batchOf(numbers: readonly string[], text = 'Hello', fields: Partial<SendBatch> = {}): SendBatch {
    const devices = numbers.map((token, position) => ({ position, token }));
    return sendBatch([{ number: 0, devices }], {
      message: `C0DE-${messages++}`,
      platform: Platform.Sms,
      atMostOnce: true,
      credential: { application: 'AAAAA-00000', platform: Platform.Sms, version: 1 },
      content: content({ text: { entries: [{ language: 'default', text }] } }),
      ...fields,
    });
  }

  const texts = (number: string): Ledger[] =>
    simulators.ledger
      .of('smpp')
      .entries({ token: number, reason: 'accepted' })
      .map(({ payload }) => JSON.parse(payload!) as Ledger);

  const receiptsReceived = (): number => simulators.ledger.summary().smpp.byReason['receipt taken'] ?? 0;

  async function untilReceived(count: number): Promise<void> {
    await until(() => receiptsReceived() >= count);
    expect(receiptsReceived()).toBe(count);
  }

  it('sends texts in both alphabets, whole and in parts, and reports deliveries', async () => {
    const world = openWorld();
    const numbers = Array.from({ length: 30 }, (_, n) => smsNumber('accepted', n));
    await world.send(batchOf(numbers));
    await world.send(batchOf([numbers[0]!, numbers[1]!], LONG));
    await world.send(batchOf([numbers[2]!], 'Привет'));
    expect(texts(numbers[2]!).at(-1)).toMatchObject({ from: 'Shop', text: 'Привет', dataCoding: 8, parts: 1 });
    const long = texts(numbers[0]!).slice(1);
    expect(long.map(({ part, parts }) => [part, parts])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(long.map(({ text }) => text).join('')).toBe(LONG.replace('€', '\x1be'));
    expect(simulators.ledger.summary().smpp).toMatchObject({ duplicates: 0 });
    await untilReceived(30 + 6 + 1);
    expect(delivered.toSorted((a, b) => a - b)).toEqual([
      0,
      0,
      0,
      1,
      1,
      ...Array.from({ length: 28 }, (_, i) => i + 2),
    ]);
  });

  it('sends consecutive messages to a phone with other references, by which it joins their parts', async () => {
    const world = openWorld();
    const number = smsNumber('accepted', 0);
    // Ids of messages that are a second apart: 32 replicas and 128 ids a millisecond.
    for (const seconds of [0n, 1n, 2n])
      await world.send(batchOf([number], LONG, { messageId: 20_012_343_296n + seconds * 4_096_000n }));
    const references = texts(number).map(({ reference }) => reference);
    expect(references).toHaveLength(9);
    expect(new Set(references).size).toBe(3);
  });

  it('sends each part that an SMSC has accepted once, for any outcome of the others, also after a restart', async () => {
    const [second, third, dead] = [smsRefusedTryNumber(2, 0), smsRefusedTryNumber(3, 1), smsNumber('dead', 2)];
    const batch = batchOf([second, third, dead], LONG);
    const settings = settingsOf(simulators.urlOf('smpp'));
    await openWorld(settings).dispatch(batch);
    expect([second, third].map((number) => texts(number).map(({ part }) => part))).toEqual([[1], [1, 2]]);
    // After a refusal no further part is sent.
    expect(simulators.ledger.of('smpp').entries({ token: dead })).toHaveLength(1);
    await worlds.pop()!.close();
    const outcomes = await openWorld(settings).send(batch);
    expect([outcomes.get(0), outcomes.get(1)]).toEqual(['SENT', 'SENT']);
    for (const number of [second, third]) {
      expect(texts(number).map(({ part, parts }) => [part, parts])).toEqual([
        [1, 3],
        [2, 3],
        [3, 3],
      ]);
    }
    expect(simulators.ledger.summary().smpp).toMatchObject({ accepted: 6, duplicates: 0 });
    await untilReceived(6);
    // A receipt that the first process did not answer is delivered and reported again.
    expect(new Set(delivered)).toEqual(new Set([0, 1]));
  });

  it('finds the message of a receipt that arrives early, in another notation, or on another bind after a restart', async () => {
    const kinds = ['prompt', 'early', 'decimal', 'undelivered', 'held', 'none'] as const;
    const numbers = kinds.map((kind, n) => smsReceiptNumber(kind, n));
    const settings = settingsOf(simulators.urlOf('smpp'));
    const world = openWorld(settings);
    const outcomes = await world.send(batchOf(numbers));
    expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
    await untilReceived(4);
    expect(delivered.toSorted()).toEqual([0, 1, 2]);
    await worlds.pop()!.close();
    // Another process binds, though it sends nothing.
    openWorld(settings);
    await untilReceived(5);
    expect(delivered.toSorted()).toEqual([0, 1, 2, 4]);
    expect(await collectionOf(mongo.db, smsReceiptsModel).countDocuments()).toBe(0);
  });

  it('has matched accepted parts with their receipts when it is closed', async () => {
    const parts = collectionOf(mongo.db, smsPartsModel);
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const bulkWrite: typeof parts.bulkWrite = async (...args) => {
      begun.resolve();
      await released.promise;
      return parts.bulkWrite(...args);
    };
    const world = openWorld(undefined, Object.assign(Object.create(parts) as typeof parts, { bulkWrite }));
    const sent = world.send(batchOf([smsReceiptNumber('early', 0)]));
    await begun.promise;
    await untilReceived(1);
    const closed = world.channel.close();
    released.resolve();
    await closed;
    expect(delivered).toEqual([0]);
    await sent;
  });

  it.each([
    ['a wrong password', { sms_password: REFUSED_PASSWORD }, 'INVALID_CONFIGURATION 0x0E ESME_RINVPASWD'],
    ['a private address', { sms_smpp_host: '10.0.0.1' }, 'INVALID_CONFIGURATION 0 private_address'],
    ['no host', { sms_smpp_host: 'a b' }, 'INVALID_CONFIGURATION 0 invalid_address'],
    ['an incomplete credential', { sms_smpp_host: '' }, 'INVALID_CONFIGURATION 0 not_configured'],
  ])('reports %s', async (_, more, expected) => {
    const world = openWorld(settingsOf(simulators.urlOf('smpp'), more));
    const outcomes = await world.send(batchOf([smsNumber('accepted', 0)]));
    expect(outcomes.get(0)).toBe(expected);
  });

  it('refuses an MMS', async () => {
    const world = openWorld();
    const sms = { text: undefined, title: undefined, fileUrls: ['https://a.example/b.png'] };
    const outcomes = await world.send(batchOf([smsNumber('accepted', 0)], 'Hello', { content: content({ sms }) }));
    expect(outcomes.get(0)).toBe('INVALID_CONFIGURATION 0 mms_by_smpp');
  });

  it('survives any bytes of an SMSC', async () => {
    const sockets: Socket[] = [];
    const server: Server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        // The bind is accepted; then every PDU gets bytes that depend on it.
        if (chunk.readUInt32BE(4) === 9) {
          socket.write(Buffer.from('00000011800000090000000000000001' + '00', 'hex'));
          return;
        }
        const bytes = Buffer.from(chunk);
        for (let i = 4; i < bytes.length; i += 3) bytes[i] = (bytes[i]! * 37 + i) & 0xff;
        socket.write(bytes);
      });
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const world = openWorld(settingsOf(`http://127.0.0.1:${port}`));
    const numbers = Array.from({ length: 10 }, (_, n) => smsNumber('accepted', n));
    for (let n = 0; n < 4; n++) {
      const outcomes = [...(await world.send(batchOf(numbers))).values()];
      expect(outcomes).toHaveLength(10);
      expect(outcomes.filter((outcome) => outcome === 'SENT')).toEqual([]);
    }
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
