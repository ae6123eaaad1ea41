import type { BounceCategory } from '../../bounces.ts';
import { deliveryReport } from './golden-mails.ts';

export type ExpectedKind = BounceCategory | 'delayed' | 'other';

export interface ServerNotice {
  readonly server: string;
  readonly mail: Buffer;
  readonly expected: ExpectedKind;
}

const FAILED = 'Final-Recipient: rfc822; u@example.com\nAction: failed';

const report = (
  server: string,
  fields: string,
  expected: ExpectedKind,
  ...headers: readonly string[]
): ServerNotice => ({
  server,
  mail: deliveryReport({ headers, status: [['Reporting-MTA: dns; mx.example.net'], fields.split('\n')] }),
  expected,
});

export const serverReports: readonly ServerNotice[] = [
  report(
    'Postfix',
    `${FAILED}\nStatus: 5.2.2\nDiagnostic-Code: smtp; 552 5.2.2 over quota`,
    'BOUNCED_HARD_MAILBOX_FULL',
  ),
  report(
    'Postfix',
    `${FAILED}\nStatus: 5.4.4\nDiagnostic-Code: X-Postfix; Host or domain name not found. type=A`,
    'BOUNCED_HARD_GENERAL',
  ),
  report('Postfix', 'Action: delayed\nStatus: 4.4.1', 'delayed', 'Subject: Delayed Mail (still being retried)'),
  report('Sendmail', `${FAILED}\nStatus: 5.1.1\nDiagnostic-Code: SMTP; 550 5.1.1 User unknown`, 'BOUNCED_HARD_GENERAL'),
  report(
    'Sendmail',
    'Final-Recipient: rfc822; u@example.com\nAction: failed (gave up)\nStatus: (after five days) 4.4.7',
    'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED',
  ),
  report(
    'Exchange',
    `${FAILED}\nStatus: 5.1.10\nDiagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found`,
    'BOUNCED_HARD_GENERAL',
  ),
  report(
    'Exchange',
    `${FAILED}\nStatus: 5.4.316\nDiagnostic-Code: smtp;550 5.4.316 Message expired`,
    'BOUNCED_UNDETERMINED',
  ),
  report('Exchange', 'Action: delayed\nStatus: 4.4.7', 'delayed', 'Subject: Delivery delayed:News'),
  report(
    'Gmail',
    `${FAILED}\nStatus: 5.2.1\nDiagnostic-Code: smtp; 550-5.2.1 The account is\n 550 5.2.1 inactive. a1si - gsmtp`,
    'BOUNCED_HARD_MAILBOX_INACTIVE',
  ),
  report(
    'Yahoo',
    `${FAILED}\nStatus: 5.0.0\nDiagnostic-Code: smtp; 554 5.7.9 Message not accepted`,
    'BOUNCED_SOFT_GENERAL',
  ),
  report(
    'T-Online',
    `${FAILED}\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 user unknown / Teilnehmer existiert nicht`,
    'BOUNCED_HARD_UNDETERMINED',
  ),
  report(
    'iCloud',
    `${FAILED}\nStatus: 5.2.2\nDiagnostic-Code: smtp; 552 5.2.2 user is over quota`,
    'BOUNCED_HARD_MAILBOX_FULL',
  ),
  report(
    'Zimbra',
    `${FAILED}\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 u@example.com: User unknown`,
    'BOUNCED_HARD_GENERAL',
  ),
  report(
    'Zimbra',
    `${FAILED}\nStatus: 4.2.2\nDiagnostic-Code: smtp; 452 4.2.2 Over quota`,
    'BOUNCED_SOFT_MAILBOX_FULL',
  ),
  report(
    'Domino',
    `${FAILED}\nStatus: 5.1.1\nDiagnostic-Code: X-Notes; User u not listed in the directory`,
    'BOUNCED_HARD_GENERAL',
  ),
  report(
    'Domino',
    `${FAILED}\nStatus: 5.0.0\nDiagnostic-Code: X-Notes; Error transferring to mx.example.com; 550 5.7.1 refused`,
    'BOUNCED_SOFT_CONTENT_REJECTED',
  ),
  report(
    'CommuniGate Pro',
    `${FAILED}\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 u@example.com unknown user account`,
    'BOUNCED_HARD_UNDETERMINED',
  ),
  report(
    'Barracuda',
    `${FAILED}\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 permanent failure for one or more recipients\n (u@example.com:550 5.1.1 User unknown)`,
    'BOUNCED_HARD_GENERAL',
  ),
  report(
    'Proofpoint',
    `${FAILED}\nStatus: 5.7.0\nDiagnostic-Code: smtp; 550 5.7.0 Local Policy Violation`,
    'BOUNCED_SOFT_CONTENT_REJECTED',
  ),
  report(
    'IronPort',
    `${FAILED}\nStatus: 5.0.0\nDiagnostic-Code: smtp; 554 #5.1.0 Address rejected.`,
    'BOUNCED_HARD_GENERAL',
  ),
  report(
    'X.400 gateways',
    'Final-Recipient: x400; /S=u/\nAction: expired\nStatus: 4.4.7',
    'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED',
  ),
  report(
    'X.400 gateways',
    'Final-Recipient: x400; /S=u/\nAction: EXPIRED (five (5) days)',
    'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED',
  ),
  report('other servers', `${FAILED} (no such (old) mailbox)\nStatus: 5.1.1 (bad destination)`, 'BOUNCED_HARD_GENERAL'),
  report('other servers', 'Action: (a \\) comment) failed\nStatus: 5.2.1', 'BOUNCED_HARD_MAILBOX_INACTIVE'),
  report('other servers', `${FAILED}\nDiagnostic-Code: smtp; 5.1.1 User unknown`, 'BOUNCED_HARD_GENERAL'),
  report(
    'other servers',
    `${FAILED}\nDiagnostic-Code: smtp (said the server); (#5.2.2) mailbox full`,
    'BOUNCED_HARD_MAILBOX_FULL',
  ),
  report(
    'other servers',
    `${FAILED}\nDiagnostic-Code: 550 5.2.1 disabled; see the help`,
    'BOUNCED_HARD_MAILBOX_INACTIVE',
  ),
  report(
    'other servers',
    `${FAILED}\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.0.0 rejected`,
    'BOUNCED_HARD_GENERAL',
  ),
  report('other servers', 'Action: bounced\nStatus: 5.2.2', 'BOUNCED_HARD_MAILBOX_FULL'),
  report('other servers', 'Action: delayed (in the queue)\nStatus: 4.4.1', 'delayed'),
];
