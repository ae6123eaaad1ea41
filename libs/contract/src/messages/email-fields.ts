import { z } from 'zod';
import { senderAddress } from '../fields/email-address.ts';
import { localized, localizedOf, type LocalizedText } from './texts.ts';
import { atMost, mustBeSet, nonEmptyText, object, optional, text, textUpTo } from '../values.ts';

export type GivenSubject = { readonly everywhere: string } | LocalizedText;

export const subject = z.union(
  [text.transform((everywhere): GivenSubject => ({ everywhere })), localized.transform((given): GivenSubject => given)],
  'must be a string or an object',
);

/** The rendered letter must still be sent as a whole (R-LM4). */
const BODY_LIMIT = 200_000;

export const emailBody = localizedOf(textUpTo(BODY_LIMIT));

export interface GivenEmail {
  readonly subject: GivenSubject | undefined;
  readonly body: LocalizedText | undefined;
  readonly from: Mailbox | undefined;
  readonly replyTo: Mailbox | undefined;
  readonly bcc: readonly string[];
  readonly attachments: z.output<ReturnType<typeof attachmentsOf>>;
  readonly listUnsubscribe: string | undefined;
  readonly category: string | undefined;
}

/** In base64 (R-E10). */
const ATTACHMENT_LENGTH = 1_048_576;
const ATTACHMENTS_MAX = 2;
const NAME_LENGTH = 255;
const BCC_MAX = 10;

/** All faults of the list have one path (R-E10). */
const list = <Element extends z.ZodType>(element: Element, max: number) =>
  z.array(element, { error: 'must be an array' }).max(max, `at most ${max} entries`);

const name = text.refine(
  (value) => value !== '' && atMost(value, NAME_LENGTH) && !/[/\\\u0000-\u001f\u007f]/.test(value),
  `must be 1 to ${NAME_LENGTH} characters without slashes and control characters`,
);

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const content = z
  .string('must be a string')
  .max(ATTACHMENT_LENGTH, `at most ${ATTACHMENT_LENGTH} characters`)
  .transform((value) => value.replace(/\s+/g, ''))
  .refine((value) => BASE64.test(value) && value.replace(/={1,2}$/, '').length % 4 !== 1, 'must be base64')
  .transform((value) => Buffer.from(value, 'base64'));

export const attachmentsOf = (words: { readonly name: string; readonly content: string }) => {
  const attachment = object({
    name: optional(name).describe(words.name),
    content: optional(content).describe(words.content),
  })
    .refine((given) => given.name !== undefined, mustBeSet('name'))
    .refine((given) => given.content !== undefined, mustBeSet('content'))
    .transform((given) => ({ name: given.name!, content: given.content! }));
  return list(attachment, ATTACHMENTS_MAX);
};

export const copies = list(
  senderAddress.transform((address) => address.toLowerCase()),
  BCC_MAX,
);

export const mailboxOf = (words: { readonly name: string; readonly email: string }) =>
  object({ name: optional(text).describe(words.name), email: optional(senderAddress).describe(words.email) })
    .refine((given) => given.email !== undefined, mustBeSet('email'))
    .transform((given) => ({ address: given.email!, name: given.name ?? '' }));

type Mailbox = z.output<ReturnType<typeof mailboxOf>>;

const PLACEHOLDER = /\{\{[^{}]*\}\}|\{[^{}|]*\|[^{}]*\}/g;

function isListUnsubscribe(template: string): boolean {
  const value = template.replaceAll(PLACEHOLDER, 'x');
  return /^(https?:\/\/|mailto:)[\x21-\x7e]+$/i.test(value) && !/[<>]/.test(value) && URL.canParse(value);
}

export const listUnsubscribe = nonEmptyText
  .refine(isListUnsubscribe, 'must be an https, http or mailto URL')
  .describe(
    'An https, http or mailto URL for the header `List-Unsubscribe`. Marketing without it has a link of the ' +
      'service, by which mail clients unsubscribe with one click.',
  );
