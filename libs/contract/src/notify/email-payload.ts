import {
  attachments,
  copies,
  emailBody,
  type GivenEmail,
  listUnsubscribe,
  mailbox,
  subject,
} from '../messages/email-fields.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { object, optional } from '../values.ts';

/** The e-mail of a message, apart from its category. */
export interface EmailPayload {
  readonly email: Omit<GivenEmail, 'category'>;
  /** The code of the preset that supplies what the e-mail lacks; undefined = none. */
  readonly template: string | undefined;
}

/** The block of e-mail (R-O1). Without a preset it says all: a missing subject is empty. */
export const emailPayload = object({
  subject: optional(subject),
  body: optional(emailBody),
  email_template: optional(namedPreset),
  from: optional(mailbox),
  reply_to: optional(mailbox),
  list_unsubscribe: optional(listUnsubscribe),
  attachments: optional(attachments),
  bcc: optional(copies),
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
