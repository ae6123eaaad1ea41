import SMTPConnection from 'nodemailer/lib/smtp-connection';

export interface MailPlace {
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  readonly port: number;
}

export type MailReport =
  /** RFC 3464, with a reply such as `550 5.1.1 unknown`. */
  | { readonly is: 'bounced'; readonly reply: string; readonly action?: 'failed' | 'delayed' }
  /** RFC 5965, @default abuse; `to` is the address for feedback. */
  | { readonly is: 'complained'; readonly to: string; readonly feedback?: string };

interface ReportMail {
  readonly to: string;
  readonly lines: readonly string[];
}

const headersOf = (mail: string): string => mail.slice(0, Math.max(mail.indexOf('\r\n\r\n'), 0));
const returnPathIn = (mail: string): string => /^return-path: <([^>]*)>/im.exec(mail)?.[1] ?? '';
const recipientIn = (mail: string): string => /^to: (.*)$/im.exec(mail)?.[1]?.trim() ?? '';

const report = (type: string, parts: readonly (readonly string[])[]): string[] => [
  'MIME-Version: 1.0',
  `Content-Type: multipart/report; report-type=${type}; boundary="=_report"`,
  '',
  ...parts.flatMap((part) => ['--=_report', ...part, '']),
  '--=_report--',
  '',
];

const enhancedIn = (reply: string): string => /^\d{3} ([45]\.\d+\.\d+)/.exec(reply)?.[1] ?? `${reply.charAt(0)}.0.0`;

const bounceOf = (mail: string, { reply, action = 'failed' }: Extract<MailReport, { is: 'bounced' }>): ReportMail => ({
  to: returnPathIn(mail),
  lines: [
    'From: Mail Delivery System <MAILER-DAEMON@mail.example>',
    `To: <${returnPathIn(mail)}>`,
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    ...report('delivery-status', [
      ['Content-Type: text/plain', '', `<${recipientIn(mail)}>: ${reply}`],
      [
        ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mail.example', ''],
        ...[`Final-Recipient: rfc822; ${recipientIn(mail)}`, `Action: ${action}`, `Status: ${enhancedIn(reply)}`],
        `Diagnostic-Code: smtp; ${reply}`,
      ],
      ['Content-Type: text/rfc822-headers', '', headersOf(mail)],
    ]),
  ],
});

/** Providers withhold the recipient, and the return path too. */
const redacted = (mail: string): string => mail.replace(/^(return-path|to): .*\r\n/gim, '');

const complaintOf = (
  mail: string,
  { to, feedback = 'abuse' }: Extract<MailReport, { is: 'complained' }>,
): ReportMail => ({
  to,
  lines: [
    'From: Feedback <feedback@mail.example>',
    `To: <${to}>`,
    'Subject: Complaint',
    ...report('feedback-report', [
      ['Content-Type: text/plain', '', 'A recipient complained.'],
      [
        ...['Content-Type: message/feedback-report', '', `Feedback-Type: ${feedback}`],
        ...['User-Agent: Simulator/1.0', 'Version: 1'],
      ],
      ['Content-Type: message/rfc822', '', redacted(mail)],
    ]),
  ],
});

type Failure = Error & { readonly responseCode?: number };

/** Resolves with the code of the reply. @throws the error of a connection */
export async function sendMailReport(
  mail: string,
  what: MailReport,
  { host = '127.0.0.1', port }: MailPlace,
): Promise<number> {
  const { to, lines } = what.is === 'bounced' ? bounceOf(mail, what) : complaintOf(mail, what);
  const connection = new SMTPConnection({ host, port, ignoreTLS: true });
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject);
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    return await new Promise<number>((resolve, reject) => {
      connection.send({ from: '', to: [to] }, lines.join('\r\n'), (error: Failure | null | undefined) => {
        if (!error) resolve(250);
        else if (error.responseCode === undefined) reject(error);
        else resolve(error.responseCode);
      });
    });
  } finally {
    connection.close();
  }
}
