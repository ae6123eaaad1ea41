import { setImmediate as turn } from 'node:timers/promises';
import { openLog } from '@tidings/runtime';
import { TestClock } from '@tidings/testing';
import { type CountLanguages, LanguageFigures, REFRESH_MS } from './language-counts.ts';

const STEP = 3;

interface Counting {
  readonly limit: number;
  end(): void;
}

/** The test ends each count; applications with more than one of the four records are counted in the background. */
function figures({ firstTimeoutMs }: { readonly firstTimeoutMs?: number } = {}) {
  const clock = new TestClock();
  const records = new Map<string, string[]>();
  const counting: Counting[] = [];
  let ended = 0;
  let isHeld = false;
  const count: CountLanguages = async (application, after, limit) => {
    const page = (records.get(application) ?? []).slice(after + 1, after + 1 + limit);
    await new Promise<void>((resolve) => {
      counting.push({ limit, end: resolve });
      if (!isHeld) resolve();
    });
    ended++;
    const languages = new Map<string, number>();
    for (const language of page) if (language !== '') languages.set(language, (languages.get(language) ?? 0) + 1);
    return { languages, records: page.length, last: after + page.length };
  };
  const opened = new LanguageFigures(count, {
    clock,
    log: openLog('silent'),
    countedAtOnce: 4,
    step: STEP,
    firstTimeoutMs,
  });
  return {
    clock,
    records,
    counting,
    of: (application: string) => opened.of(application),
    close: () => opened.close(),
    underWay: () => counting.length - ended,
    hold: (held: boolean) => {
      isHeld = held;
      if (!held) for (const { end } of counting) end();
    },
  };
}

const quiet = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await turn();
};

describe('LanguageFigures (R-RES20)', () => {
  it('counts a small application on each call, without records that have no language', async () => {
    const { records, of } = figures();
    expect(await of('A')).toEqual({});
    records.set('A', ['en', '', 'de', 'en']);
    expect(Object.entries(await of('A'))).toEqual([
      ['de', 1n],
      ['en', 2n],
    ]);
  });

  it('shares a waiting count among callers, and counts again for a caller after its start', async () => {
    const { records, counting, of, hold } = figures();
    records.set('A', ['en']);
    hold(true);
    const first = of('A');
    await quiet();
    records.set('A', ['en', 'de']);
    const later = [of('A'), of('A'), of('A')];
    await quiet();
    expect(counting).toHaveLength(2);
    hold(false);
    expect(await first).toEqual({ en: 1n });
    expect(await Promise.all(later)).toEqual([1, 2, 3].map(() => ({ de: 1n, en: 1n })));
    expect(counting).toHaveLength(2);
  });

  it('limits concurrent counts and waiting callers', async () => {
    const { counting, of, hold, underWay } = figures();
    hold(true);
    const queries = Array.from({ length: 300 }, (_, i) =>
      of(`A${i}`).then(
        () => 'told',
        (error: Error) => error.message,
      ),
    );
    await quiet();
    expect([counting.length, underWay()]).toEqual([2, 2]);
    hold(false);
    const answers = await Promise.all(queries);
    expect(answers.filter((answer) => answer === 'told')).toHaveLength(202);
    expect(new Set(answers)).toEqual(new Set(['told', 'Too many concurrent calls']));
  });

  it('returns the last figure of a larger application, and counts again in the background after a minute', async () => {
    const { clock, records, counting, of, hold, underWay } = figures();
    records.set('A', ['en', 'en', 'de', '', 'en', 'de', 'fr']);
    expect(await of('A')).toEqual({ de: 2n, en: 3n, fr: 1n });
    const before = counting.length;
    records.get('A')!.push('fr');
    clock.advance(REFRESH_MS / 1000);
    for (let i = 0; i < 100; i++) expect(await of('A')).toEqual({ de: 2n, en: 3n, fr: 1n });
    expect(counting).toHaveLength(before);

    clock.advance(1);
    hold(true);
    for (let i = 0; i < 100; i++) expect(await of('A')).toEqual({ de: 2n, en: 3n, fr: 1n });
    expect([counting.length, underWay()]).toEqual([before + 1, 1]);
    hold(false);
    await quiet();
    expect(await of('A')).toEqual({ de: 2n, en: 3n, fr: 2n });
  });

  it('tells what is counted so far when the first count of a larger application takes long', async () => {
    const { records, counting, of, hold } = figures({ firstTimeoutMs: 1 });
    records.set('A', ['en', 'en', 'de', '', 'en', 'de', 'fr']);
    hold(true);
    const first = of('A');
    await quiet();
    counting[0]!.end();
    expect(await first).toEqual({ de: 1n, en: 3n });
    counting[1]!.end();
    const second = of('A');
    await quiet();
    for (const { limit, end } of counting.slice(1)) if (limit > STEP) end();
    expect(await second).toEqual({ de: 1n, en: 2n });
    hold(false);
    await quiet();
    expect(await of('A')).toEqual({ de: 2n, en: 3n, fr: 1n });
  });

  it('counts larger applications one after the other', async () => {
    const { clock, records, counting, of, hold, underWay } = figures();
    const names = ['A', 'B', 'C', 'D'];
    for (const name of names)
      records.set(
        name,
        Array.from({ length: 10 }, () => 'en'),
      );
    const counts = names.map((name) => of(name));
    await quiet();
    expect(await Promise.all(counts)).toEqual(names.map(() => ({ en: 10n })));
    // The immediate attempt for each, and four steps of three records.
    expect(counting).toHaveLength(names.length * 5);

    clock.advance(REFRESH_MS / 1000 + 1);
    hold(true);
    for (const name of names) await of(name);
    await quiet();
    expect(underWay()).toBe(1);
    hold(false);
    await quiet();
    expect(counting).toHaveLength(names.length * 9);
  });

  it('counts immediately once an application has become small', async () => {
    const { clock, records, of } = figures();
    records.set('A', ['en', 'en', 'en', 'en', 'en']);
    expect(await of('A')).toEqual({ en: 5n });
    records.set('A', ['de']);
    clock.advance(REFRESH_MS / 1000 + 1);
    await of('A');
    await quiet();
    expect(await of('A')).toEqual({ de: 1n });
    records.set('A', []);
    expect(await of('A')).toEqual({});
  });

  it('stops background counts within a step', async () => {
    const { records, counting, of, hold, close } = figures();
    records.set(
      'A',
      Array.from({ length: 100 }, () => 'en'),
    );
    hold(true);
    const answer = of('A').catch((error: Error) => error.message);
    await quiet();
    counting[0]!.end();
    await quiet();
    const closed = close();
    hold(false);
    await closed;
    expect(await answer).toBe('The service is closing');
    expect(counting).toHaveLength(2);
  });
});
