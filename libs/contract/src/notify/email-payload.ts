import {
  attachmentsOf,
  copies,
  emailBody,
  type GivenEmail,
  listUnsubscribe,
  mailboxOf,
  subject,
} from '../messages/email-fields.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { object, optional } from '../values.ts';

export interface EmailPayload {
  readonly email: Omit<GivenEmail, 'category'>;
  readonly template: string | undefined;
}

export const emailPayload = object({
  subject: optional(subject).describe(
    'Subject, or subjects by the languages of the body. Empty if left out without `email_template`.',
  ),
  body: optional(emailBody).describe('HTML, or HTML by language. Required without `email_template`.'),
  email_template: optional(namedPreset).describe(
    'Code of an e-mail preset that supplies body and subject where they are left out. Required without `body`.',
  ),
  from: optional(mailboxOf({ name: 'Name of the sender.', email: 'Address of the sender.' })).describe('The sender.'),
  reply_to: optional(
    mailboxOf({ name: 'Name of the recipient of replies.', email: 'Address of the recipient of replies.' }),
  ).describe('Recipient of replies.'),
  list_unsubscribe: optional(listUnsubscribe),
  attachments: optional(
    attachmentsOf({ name: 'Name of the file.', content: 'Content of the file in base64.' }),
  ).describe('Up to 2 files.'),
  bcc: optional(copies).describe('Up to 10 addresses that receive copies.'),
})
  .refine(({ body, email_template: template }) => (body ?? template) !== undefined, {
    path: ['body'],
    error: 'must be set',
  })
  .transform(({ email_template: template, ...given }): EmailPayload => ({
    template,
    email: {
      subject: given.subject ?? (template === undefined ? { everywhere: '' } : undefined),
      body: given.body,
      from: given.from,
      replyTo: given.reply_to,
      bcc: given.bcc ?? [],
      attachments: given.attachments ?? [],
      listUnsubscribe: given.list_unsubscribe,
    },
  }));
