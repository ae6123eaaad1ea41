import { describe, expect, it } from '@jest/globals';
import { IosContent, MessageAccepted } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { shortened, shortenedActions } from './short-link.ts';

describe('short links', () => {
  const target = 'https://example.com/?q=\\{a}';
  const openAction = { link: target };
  const accepted = MessageAccepted.fromPartial({ content: { ios: IosContent.fromPartial({ openAction }) } });

  it('lead to the address of the link, in which an escaped brace is a brace (R-I17)', () => {
    expect(shortened(accepted, target, 'https://push.example')).toMatchObject({
      content: { link: expect.stringMatching(/^https:\/\/push\.example\/s\/\w{8}$/) as unknown },
      shortLinkTarget: 'https://example.com/?q={a}',
    });
  });

  it('lead to the addresses of actions of platforms, too', () => {
    const { actionLinks } = shortenedActions(accepted, [Platform.iOS, Platform.Android], 'https://push.example');
    expect(actionLinks).toMatchObject([{ platform: Platform.iOS, target: 'https://example.com/?q={a}' }]);
  });
});
