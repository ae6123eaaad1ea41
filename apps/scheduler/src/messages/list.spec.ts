import { describe, expect, it } from '@jest/globals';
import { Content, EmailContent, MessageAccepted } from '@tidings/events';
import type { Message } from '@tidings/messaging';
import { listedView, viewOf } from './list.ts';

const localized = (text: string) => ({ entries: [{ language: 'default', text }] });
const email = EmailContent.fromPartial({
  subject: localized('Invoice'),
  body: localized('<p>Invoice</p>'),
  from: { address: 'shop@shop.example', name: 'Shop' },
  attachments: [{ name: 'invoice.pdf', content: Buffer.alloc(1_000_000) }],
});
const accepted = MessageAccepted.fromPartial({
  conditions: '[["Level","GTE",5]]',
  preset: 'B1B2C-3D4E5',
  applications: ['AAAAA-BBBBB'],
  reach: { platforms: [14] },
  content: Content.fromPartial({ text: localized('<p>Invoice</p>'), title: localized('Title'), data: '{}', email }),
});
const message: Message = {
  status: 'PENDING',
  code: 'AF0B-EEFE4D5E-E445B2E9',
  id: 5,
  account: 'mine',
  createdAt: new Date(0),
  accepted,
  joined: 0,
};

describe('the view of a message', () => {
  it('has its content without attachments, which no page shows', () => {
    const { message: shown } = viewOf(message);
    expect(shown).toEqual({ ...accepted, content: { ...accepted.content, email: { ...email, attachments: [] } } });
    expect(accepted.content!.email!.attachments).toHaveLength(1);
  });
});

describe('a listed message', () => {
  const { subject, from } = email;

  it('has subject, senders and conditions of an e-mail, and no body: a page of 500 mails with theirs would exceed a reply', () => {
    expect(listedView(message, true).message).toEqual(
      MessageAccepted.fromPartial({
        conditions: accepted.conditions,
        preset: accepted.preset,
        audience: {},
        reach: { platforms: [14] },
        content: { title: localized('Title'), email: { subject, from } },
      }),
    );
  });

  it('has texts, data, titles and root params of a push, and nothing else', () => {
    const settings = { title: localized('Own'), rootParams: '{"a":1}' };
    const push = {
      text: localized('Text'),
      title: localized('Title'),
      data: '[1]',
      android: settings,
      chrome: settings,
      firefox: settings,
      ios: { ...settings, subtitle: localized('Sub') },
    };
    const unseen = { placeholders: '{"Name":"a"}', link: 'https://example.com', android: { ...settings, banner: 'b' } };
    const content = Content.fromPartial({ ...push, ...unseen, inbox: {} });
    const of = { ...message, accepted: { ...accepted, reach: { platforms: [1] }, content } };
    expect(listedView(of, true).message!.content).toEqual(Content.fromPartial(push));
  });

  it('has neither content nor conditions without details', () => {
    expect(listedView(message, false).message).toMatchObject({ content: undefined, conditions: '', preset: '' });
  });
});
