import type { BounceCategory } from '../../bounces.ts';

type Category<Name extends string = BounceCategory> = Name extends `BOUNCED_${infer End}` ? End : never;

export const serverReplies: Readonly<Record<string, readonly (readonly [reply: string, category: Category])[]>> = {
  Postfix: [
    ['550 5.1.1 <u@example.com>: Recipient address rejected: User unknown in local table', 'HARD_GENERAL'],
    ['450 4.2.0 <u@example.com>: Recipient address rejected: Greylisted', 'SOFT_GENERAL'],
    ['450 4.1.1 <u@example.com>: Recipient address rejected: unverified address', 'SOFT_GENERAL'],
    ['552 5.3.4 Message size exceeds fixed limit', 'SOFT_MESSAGE_TOO_LARGE'],
    ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using dnsbl.example.net', 'SOFT_CONTENT_REJECTED'],
    ['452 4.3.1 Insufficient system storage', 'SOFT_GENERAL'],
    ['451 4.4.2 Timeout while receiving', 'SOFT_CUSTOM_TIMEOUT_EXCEEDED'],
  ],
  Exim: [
    ['550 Unrouteable address', 'HARD_UNDETERMINED'],
    ['550 Verification failed for <shop@example.com> Sender verify failed', 'HARD_UNDETERMINED'],
    ['451 Temporary local problem - please try later', 'SOFT_UNDETERMINED'],
    ['552 Message size exceeds maximum permitted', 'SOFT_MAILBOX_FULL'],
    ['550 This message contains an attachment of a kind that is refused', 'SOFT_ATTACHMENT_REJECTED'],
  ],
  qmail: [
    ['550 sorry, no mailbox here by that name (#5.1.1)', 'HARD_GENERAL'],
    ['553 sorry, that domain is not in my list of allowed hosts (#5.7.1)', 'SOFT_CONTENT_REJECTED'],
    ['552 sorry, that message size exceeds my limit (#5.3.4)', 'SOFT_MESSAGE_TOO_LARGE'],
    ['552 the mailbox is full (#5.2.2)', 'HARD_MAILBOX_FULL'],
    ['451 temporary problem (#4.3.0)', 'SOFT_GENERAL'],
    ['554 too many hops, this message is looping (#5.4.6)', 'UNDETERMINED'],
  ],
  Sendmail: [
    ['550 5.1.1 <u@example.com>... User unknown', 'HARD_GENERAL'],
    ['550 5.1.2 <u@example.com>... Host unknown', 'HARD_GENERAL'],
    ['552 5.2.2 <u@example.com>... Mailbox full', 'HARD_MAILBOX_FULL'],
    ['553 5.1.8 <shop@example.com>... Domain of sender does not exist', 'SOFT_GENERAL'],
    ['550 5.7.1 <u@example.com>... Relaying denied', 'SOFT_CONTENT_REJECTED'],
    ['451 4.3.2 Please try again later', 'SOFT_GENERAL'],
  ],
  Exchange: [
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient u@example.com not found', 'HARD_GENERAL'],
    ['550 5.4.1 Recipient address rejected: Access denied. [AM1.protection.example.net]', 'HARD_GENERAL'],
    ['554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException', 'HARD_MAILBOX_FULL'],
    ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'SOFT_GENERAL'],
    ['451 4.7.500 Server busy. Try again later from [192.0.2.1]. (S77719)', 'SOFT_CUSTOM_TIMEOUT_EXCEEDED'],
    ['550 5.1.8 Access denied, bad outbound sender', 'SOFT_GENERAL'],
    ['552 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', 'SOFT_MESSAGE_TOO_LARGE'],
  ],
  Gmail: [
    ['550 5.1.1 The email account that you tried to reach does not exist. a1-20si - gsmtp', 'HARD_GENERAL'],
    ['550 5.2.1 The email account that you tried to reach is inactive. a1si - gsmtp', 'HARD_MAILBOX_INACTIVE'],
    ['452 4.2.2 The inbox of the recipient is out of storage space. a1si - gsmtp', 'SOFT_MAILBOX_FULL'],
    ['552 5.2.2 The email account that you tried to reach is over quota. a1si', 'HARD_MAILBOX_FULL'],
    ['550 5.7.26 This mail is blocked because the sender is unauthenticated', 'SOFT_GENERAL'],
    ['552 5.7.0 The content of this message presents a potential security issue', 'SOFT_CONTENT_REJECTED'],
    ['552 5.3.4 Your message exceeded the size limits', 'SOFT_MESSAGE_TOO_LARGE'],
    ['450 4.2.1 The user is receiving mail at a rate that prevents further messages', 'SOFT_GENERAL'],
  ],
  Yahoo: [
    ['554 delivery error: dd This user has no account (u@example.com) [0] - mta4.example.net', 'UNDETERMINED'],
    ['554 5.7.9 Message not accepted for policy reasons', 'SOFT_GENERAL'],
    ['451 4.7.1 [TSS09] Messages from 192.0.2.1 are deferred', 'SOFT_CUSTOM_TIMEOUT_EXCEEDED'],
    ['553 5.7.2 [TSS11] All messages from 192.0.2.1 are deferred', 'SOFT_GENERAL'],
  ],
  GMX: [
    [
      '550 Requested action not taken: mailbox unavailable. See https://example.net/?ip=192.0.2.1&c=nr',
      'HARD_UNDETERMINED',
    ],
    ['552 Requested mail action aborted: exceeded storage allocation', 'SOFT_MAILBOX_FULL'],
    ['554 Transaction failed. Reject due to policy restrictions.', 'UNDETERMINED'],
    ['452 Requested action not taken: insufficient system storage', 'SOFT_MAILBOX_FULL'],
  ],
  'T-Online': [
    ['550 5.7.0 Message considered as spam or virus, rejected', 'SOFT_SPAM'],
    ['550 user unknown / Teilnehmer existiert nicht', 'HARD_UNDETERMINED'],
    ['554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help)', 'UNDETERMINED'],
  ],
  iCloud: [
    ['550 5.1.1 <u@example.com>: user lookup success but no user record found', 'HARD_GENERAL'],
    ['552 5.2.2 <u@example.com>: user is over quota', 'HARD_MAILBOX_FULL'],
    ['554 5.7.1 [CS01] Message rejected due to local policy.', 'SOFT_CONTENT_REJECTED'],
  ],
  Zimbra: [
    ['550 5.1.1 <u@example.com>: Recipient address rejected: example.com', 'HARD_GENERAL'],
    ['452 4.2.2 Over quota', 'SOFT_MAILBOX_FULL'],
    ['550 5.2.1 u@example.com: account is locked', 'HARD_MAILBOX_INACTIVE'],
  ],
  Domino: [
    ['550 u@example.com... No such user', 'HARD_UNDETERMINED'],
    ['554 Relay rejected for policy reasons.', 'UNDETERMINED'],
    ['452 Insufficient disk space', 'SOFT_MAILBOX_FULL'],
  ],
  GroupWise: [
    ['550 <u@example.com>: mailbox unavailable or access denied', 'HARD_UNDETERMINED'],
    ['420 TCP read error', 'SOFT_UNDETERMINED'],
  ],
  'CommuniGate Pro': [
    ['550 u@example.com unknown user account', 'HARD_UNDETERMINED'],
    ['552 u@example.com account is full (quota exceeded)', 'SOFT_MAILBOX_FULL'],
    ['550 5.1.1 u@example.com: account unknown', 'HARD_GENERAL'],
  ],
  Courier: [
    ['550 User unknown.', 'HARD_UNDETERMINED'],
    ['513 Relaying denied.', 'UNDETERMINED'],
    ['432 Service temporarily unavailable.', 'SOFT_UNDETERMINED'],
  ],
  MailEnable: [
    ['550 Requested action not taken: mailbox unavailable or not local', 'HARD_UNDETERMINED'],
    ['503 This mail server requires authentication', 'UNDETERMINED'],
  ],
  hMailServer: [
    ['550 Unknown user', 'HARD_UNDETERMINED'],
    ['451 Please try again later.', 'SOFT_UNDETERMINED'],
  ],
  Barracuda: [
    ['550 permanent failure for one or more recipients (u@example.com:550 5.1.1 User unknown)', 'HARD_GENERAL'],
    ['554 Service unavailable; Client host [192.0.2.1] blocked for its reputation', 'SOFT_SPAM'],
  ],
  Mimecast: [
    ['550 Invalid Recipient - https://example.net/docs#550 [kX1abCZV4mu.uk41]', 'HARD_UNDETERMINED'],
    ['554 Email rejected due to security policies - https://example.net/docs#554 [x9.uk70]', 'UNDETERMINED'],
    ['451 Internal resources are temporarily unavailable - https://example.net/docs#451', 'SOFT_UNDETERMINED'],
  ],
  Proofpoint: [
    ['550 5.7.0 Local Policy Violation', 'SOFT_CONTENT_REJECTED'],
    ['554 5.7.1 Message blocked due to spam content in the message', 'SOFT_SPAM'],
    ['550 5.1.1 User Unknown', 'HARD_GENERAL'],
  ],
  IronPort: [
    ['554 #5.1.0 Address rejected.', 'HARD_GENERAL'],
    ['552 #5.2.2 Mailbox full', 'HARD_MAILBOX_FULL'],
    ['552 #5.3.4 Message size exceeds limit', 'SOFT_MESSAGE_TOO_LARGE'],
    ['550 #5.7.1 Your access to this mail system has been rejected', 'SOFT_CONTENT_REJECTED'],
    ['451 #4.1.8 Domain of sender address does not resolve', 'SOFT_GENERAL'],
  ],
  'other servers': [
    ['550 [5.1.1] unknown mailbox', 'HARD_GENERAL'],
    ['550 5.1.1: unknown mailbox', 'HARD_GENERAL'],
    ['550 (5.1.1) unknown mailbox', 'HARD_GENERAL'],
    ['550 <5.2.1> mailbox disabled', 'HARD_MAILBOX_INACTIVE'],
    ['550 unknown mailbox [5.1.1]', 'HARD_GENERAL'],
    ['550 unknown mailbox: 5.1.1', 'HARD_GENERAL'],
    ['550 address is on the suppression list (#5.7.1)', 'HARD_SUPPRESSED'],
    ['550 host 5.1.1.1 is not allowed to send', 'HARD_UNDETERMINED'],
    ['554 refused by mailserver-5.1.1 of the domain', 'UNDETERMINED'],
  ],
};
