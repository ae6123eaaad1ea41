import { expect, it } from '@jest/globals';
import { Content, TagType } from '@tidings/events';
import { TAGS, type SliceCount } from '@tidings/registry-store';
import { device, selection } from '@tidings/registry-store/testing';
import { describeWithMongo } from '@tidings/testing';
import { fanoutWorlds, settle } from '../testing/fanout-world.ts';
import { newMessage, release } from '../testing/fanout-messages.ts';

const slicesOf = (counts: Readonly<Record<number, number>>): SliceCount[] =>
  Object.entries(counts).map(([platform, count]) => ({ platform: Number(platform), variant: 'alert', count }));

describeWithMongo('fan-out', (mongo) => {
  const world = fanoutWorlds(mongo);

  it('renders the values of the tags that the content names', async () => {
    const own = (number: number, name: string, type: TagType) => ({
      _id: `a:${name}`,
      rev: 1,
      kind: 'tag',
      account: 'a',
      applicationSpecific: false,
      deleted: false,
      number,
      name,
      type,
    });
    const long = 'é'.repeat(70);
    const item = `a${'ü'.repeat(133)}`;
    const tags = [
      { k: 7, v: 'Phone' },
      { k: 71, v: long.slice(0, 64), s: long },
      { k: 72, v: 'a' },
      { k: 72, v: 'b' },
      { k: 73, v: Date.UTC(2026, 0, 2, 3, 4) },
      { k: 75, v: 1e21 },
      { k: 76, v: '11~M', s: '1.0' },
    ];
    const { db, broker, clock, dispatchers, start } = await world([
      device(0, { platform: 1, tags }),
      device(1, { platform: 1 }),
      device(2, { platform: 1, tags: Array.from({ length: 40 }, () => ({ k: 72, v: item })) }),
    ]);
    await db
      .collection<{ _id: string }>(TAGS)
      .insertMany([
        own(71, 'Name', TagType.TAG_TYPE_STRING),
        own(72, 'Fruits', TagType.TAG_TYPE_LIST),
        own(73, 'Born', TagType.TAG_TYPE_DATE),
        own(75, 'Score', TagType.TAG_TYPE_DECIMAL),
        own(76, 'Build', TagType.TAG_TYPE_VERSION),
      ]);
    const fanout = await start();
    const names = ['Name', 'Fruits', 'Unknown', 'Born', 'Score', 'Build', 'Language', 'Device Model'];
    await release(
      broker,
      newMessage({ audience: selection(), content: { ...Content.create(), tags: names } }),
      clock.date,
    );
    await settle(fanout, clock, dispatchers);
    const { values, valueEnds } = dispatchers.batches[0]!;
    const ends = [...new Uint32Array(new Uint8Array(valueEnds).buffer)];
    const texts = ends.map((end, i) => values.subarray(i === 0 ? 0 : ends[i - 1], end).toString());
    expect(texts.slice(0, 8)).toEqual([
      long,
      'a, b',
      '',
      '2026-01-02 03:04',
      '1000000000000000000000',
      '1.0',
      'en',
      'Phone',
    ]);
    expect(texts.slice(8, 16)).toEqual(['', '', '', '', '', '', 'en', '']);
    // A value is truncated at 6 KiB, at a character boundary; the following values are whole.
    expect(Buffer.byteLength(texts[17]!)).toBe(6143);
    expect(texts[17]).toMatch(/^(aü{133}, )*aü+$/);
    expect(texts.slice(18)).toEqual(['', '', '', '', 'en', '']);
  });

  it('sends a message although stored tokens exceed a record, and marks those devices', async () => {
    const isLong = (i: number): boolean => i % 4 === 0;
    const { broker, clock, dispatchers, start, plansOf } = await world(
      Array.from({ length: 600 }, (_, i) =>
        device(i, { platform: 1, ...(isLong(i) ? { token: `${i}-`.padEnd(65_536, 'x') } : {}) }),
      ),
    );
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    const [plan] = await plansOf(message);
    expect(plan).toMatchObject({ slices: slicesOf({ 1: 2 }), settledAt: expect.any(Date) as unknown });
    const [batch, ...others] = dispatchers.batches;
    expect(others).toEqual([]);
    expect([...batch!.oversized]).toEqual(Array.from({ length: 600 }, (_, i) => (isLong(i) ? 1 : 0)));
    expect(batch!.tokens.toString()).toBe(
      Array.from({ length: 600 }, (_, i) => (isLong(i) ? '' : `token-${i}`)).join(''),
    );
  });

  it('reads the devices of a chunk again if their tokens exceed a pair of buffers, each once', async () => {
    const devices = Array.from({ length: 1200 }, (_, i) => device(i, { platform: i < 100 ? 3 : 1 }));
    // About one slice: the first one is read with the others, then each separately.
    const { broker, clock, dispatchers, start, plansOf, measured } = await world(devices, { bufferBytes: 5_000 });
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    expect((await plansOf(message))[0]).toMatchObject({ slices: slicesOf({ 1: 3, 3: 1 }) });
    for (const platformCode of [1, 3]) {
      const addressed = devices.filter(({ platform }) => platform === platformCode);
      const batches = dispatchers.batches.filter(({ platform }) => platform === platformCode);
      const slices = batches.flatMap((batch) => batch.slices.map(({ number }) => number));
      expect(slices).toEqual([...new Set(slices)].sort());
      expect(batches.map(({ tokens }) => tokens.toString()).join('')).toBe(
        addressed.map(({ token }) => token).join(''),
      );
      expect(batches.every(({ gone, oversized }) => gone.every((bits) => bits === 0) && oversized.length === 0)).toBe(
        true,
      );
    }
    expect(await measured('tidings_fanout_slices_total')).toEqual({ 'apns first': 3, 'fcm first': 1 });
  });

  it('contains only the content’s languages, however many the devices have', async () => {
    const lang = (i: number): string => String.fromCharCode(97 + (i % 26), 97 + (Math.floor(i / 26) % 26));
    const { broker, clock, dispatchers, start } = await world([
      ...Array.from({ length: 499 }, (_, i) => device(i, { platform: 1, lang: lang(i) })),
      device(499, { platform: 1, lang: 'zz' }),
    ]);
    const fanout = await start();
    const entry = (language: string) => ({ language, text: language });
    const content = { ...Content.create(), text: { entries: [entry('default'), entry('zz')] } };
    await release(
      broker,
      newMessage({ audience: selection(), content: { ...content, title: { entries: [entry('en')] } } }),
      clock.date,
    );
    await settle(fanout, clock, dispatchers);
    const { languages, languageNames } = dispatchers.batches[0]!;
    expect(languageNames.toSorted()).toEqual(['', 'en', 'zz']);
    expect(languageNames[languages[499]!]).toBe('zz');
    expect([...languages.subarray(0, 499)].filter((language) => language !== 0)).toHaveLength(1);
  });
});
