import { defaultArgument, type Kind, kinds } from '../behaviour.ts';

/** Any other address is accepted. */
const MARKER = 'sim.';
const DOMAIN = 'mail.example';

/** Deterministic. @param argument see the README. @default 1 for kinds that count */
export const mailAddress = (
  kind: Exclude<Kind, 'reason'>,
  n: number,
  argument: number = defaultArgument(kind),
  domain = DOMAIN,
): string =>
  kind === 'accepted' ? `person-${n}@${domain}` : `${MARKER}${kind.toLowerCase()}.${argument}.${n}@${domain}`;

/** The reply is one such as `550 5.2.1 mailbox disabled`. */
export const mailReplyAddress = (reply: string, n: number, domain = DOMAIN): string =>
  `${MARKER}reason.${Buffer.from(reply).toString('hex')}.${n}@${domain}`;

export interface MailRequestOfAddress {
  readonly kind: Kind;
  readonly argument: number;
  readonly reply: string;
}

export const isMailReply = (text: string): boolean => /^[45]\d\d( |$)/.test(text);

/** Undefined without the marker. Local parts are compared in lower case. */
export function parseMailAddress(address: string): MailRequestOfAddress | undefined {
  const local = address.slice(0, address.lastIndexOf('@')).toLowerCase();
  if (!local.startsWith(MARKER)) return undefined;
  const [, name = '', argument = ''] = local.split('.');
  const kind = kinds.find((candidate) => candidate.toLowerCase() === name) ?? 'accepted';
  const reply = kind === 'reason' ? Buffer.from(argument, 'hex').toString() : '';
  return {
    kind,
    argument: Number.parseInt(argument, 10) || 0,
    reply: isMailReply(reply) ? reply : '550 5.1.1 unknown',
  };
}
