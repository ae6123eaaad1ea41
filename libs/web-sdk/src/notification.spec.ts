import { describe, expect, it } from '@jest/globals';
import { badgeOf, linkOf, notificationOf, parsePush, type Push } from './notification.ts';

const defaults = { title: 'shop.example', icon: '/icon.png' };
const shown = (push: Push) => notificationOf(push, defaults);

describe('the notification of a push', () => {
  it('has its texts, pictures and options', () => {
    const push = {
      body: 'Hello',
      header: 'News',
      i: 'https://a/i.png',
      image: 'https://a/b.png',
      tag: 'AF0B-EEFE4D5E-E445B2E9',
      requireInteraction: true,
      duration: 0,
      renotify: true,
    };
    expect(shown(push)).toEqual({
      title: 'News',
      options: {
        body: 'Hello',
        icon: 'https://a/i.png',
        image: 'https://a/b.png',
        tag: 'AF0B-EEFE4D5E-E445B2E9',
        requireInteraction: true,
        renotify: true,
        actions: [],
        data: { tidings: { links: [] } },
      },
      durationMs: undefined,
    });
  });

  it('has the title and the icon of the site if the message has none', () => {
    expect(shown({ body: 'Hello' })).toMatchObject({ title: 'shop.example', options: { icon: '/icon.png' } });
  });

  it('keeps for its click what the message names, and no key of the platform as an option', () => {
    const push = {
      p: 'P_1',
      l: 'https://a/1',
      u: '{"a":1}',
      md: { b: 2 },
      pw_inbox: '811304624128000',
      inbox_params: { rt: '1' },
      pw_badges: 3,
      rm: '{"code":"X"}',
      deep_link_id: '1',
    };
    const { body, icon, image, actions, data, ...others } = shown(push)!.options as Record<string, unknown>;
    expect(data).toEqual({
      tidings: { hash: 'P_1', link: 'https://a/1', links: [], inbox: '811304624128000' },
      u: '{"a":1}',
    });
    expect(others).toEqual({});
  });

  it('has buttons, and the link of each', () => {
    const { options } = shown({ l: 'https://a/', buttons: '[{"title":"Yes","url":"https://a/yes"},{"title":"No"}]' })!;
    expect(options).toMatchObject({
      actions: [
        { action: '0', title: 'Yes' },
        { action: '1', title: 'No' },
      ],
    });
    const { tidings } = options.data as { tidings: Parameters<typeof linkOf>[0] };
    expect(['', '0', '1'].map((action) => linkOf(tidings, action))).toEqual([
      'https://a/',
      'https://a/yes',
      'https://a/',
    ]);
  });

  it.each(['{', '{}', '"x"'])('ignores buttons that are no list: %s', (buttons) => {
    expect(shown({ buttons })).toMatchObject({ options: { actions: [] } });
  });

  it.each([true, 'true'])('is absent if the message shows nothing: silent %j', (silent) => {
    expect(shown({ body: 'Hello', silent })).toBeUndefined();
  });

  it.each([
    [20, 20_000],
    ['20', 20_000],
    [300, 300_000],
    [301, undefined],
    [0, undefined],
    [undefined, undefined],
  ])('is shown for a duration of %j in %j ms, or as long as the browser decides', (duration, durationMs) => {
    expect(shown(duration === undefined ? {} : { duration })!.durationMs).toBe(durationMs);
  });
});

describe('the data of a push', () => {
  it('is a JSON object', () => expect(parsePush('{"body":"Hello"}')).toEqual({ body: 'Hello' }));

  it.each(['Hello', '[1]', '1', 'null', ''])('is the text of the notification otherwise: %j', (text) => {
    expect(parsePush(text)).toEqual({ body: text });
  });
});

describe('the badge of a push', () => {
  it.each([
    [3, 3],
    ['7', 7],
    [0, 0],
    ['', undefined],
    ['+1', 1],
    ['x', undefined],
    [-1, undefined],
    [undefined, undefined],
  ])('of %j is %j', (given, badge) => {
    expect(badgeOf(given === undefined ? {} : { pw_badges: given })).toBe(badge);
  });
});
