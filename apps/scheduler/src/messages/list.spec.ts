import { describe, expect, it } from '@jest/globals';
import { Content, EmailContent, MessageAccepted } from '@tidings/events';
import type { Message } from '@tidings/messaging';
import { viewOf } from './list.ts';

const email = EmailContent.fromPartial({
  subject: { entries: [{ language: 'default', text: 'Invoice' }] },
  attachments: [{ name: 'invoice.pdf', content: Buffer.alloc(1_000_000) }],
});
const accepted = MessageAccepted.fromPartial({
  conditions: '[["Level","GTE",5]]',
  content: Content.fromPartial({ email }),
});
const message: Message = {
  ...{ status: 'PENDING', code: 'AF0B-EEFE4D5E-E445B2E9', id: 5, account: 'acme', createdAt: new Date(0) },
  ...{ accepted, joined: 0 },
};

describe('the view of a message', () => {
  it('has its details, but no attachments: a page of 500 mails with theirs would exceed a reply', () => {
    const { message: shown } = viewOf(message, true);
    expect(shown!.content!.email).toEqual({ ...email, attachments: [] });
    expect(shown!.conditions).toBe(accepted.conditions);
    expect(accepted.content!.email!.attachments).toHaveLength(1);
  });

  it('has neither content nor audience without details', () => {
    expect(viewOf(message, false).message).toMatchObject({ content: undefined, conditions: '' });
  });
});
