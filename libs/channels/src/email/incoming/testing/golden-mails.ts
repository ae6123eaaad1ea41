const crlf = (lines: readonly string[]): string => lines.join('\r\n');

export interface Report {
  readonly headers?: readonly string[];
  readonly text?: string;
  readonly status: readonly (readonly string[])[];
  readonly statusType?: string;
  readonly original?: readonly string[];
}

export const deliveryReport = ({ headers = [], text = '', status, statusType, original = [] }: Report): Buffer =>
  Buffer.from(
    crlf([
      'Return-Path: <>',
      'From: Mail Delivery System <MAILER-DAEMON@mx.example>',
      'Subject: Undelivered Mail Returned to Sender',
      ...headers,
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status;',
      '\tboundary="=_report/1"',
      '',
      'This is a MIME-encapsulated message.',
      '',
      '--=_report/1',
      'Content-Type: text/plain; charset=us-ascii',
      '',
      text,
      '',
      '--=_report/1',
      `Content-Type: ${statusType ?? 'message/delivery-status'}`,
      '',
      status.map(crlf).join('\r\n\r\n'),
      '',
      '--=_report/1',
      'Content-Type: text/rfc822-headers',
      '',
      crlf(original),
      '',
      '--=_report/1--',
      '',
    ]),
    'latin1',
  );

const failed = (status: string, diagnostic?: string): readonly string[] => [
  'Final-Recipient: rfc822; anna@example.com',
  'Action: failed',
  `Status: ${status}`,
  ...(diagnostic === undefined ? [] : [`Diagnostic-Code: ${diagnostic}`]),
];

export const golden: Readonly<Record<string, { readonly mail: Buffer; readonly expected: object }>> = {
  'Postfix, whose server refused the recipient': {
    mail: deliveryReport({
      headers: ['Auto-Submitted: auto-replied'],
      text: '<anna@example.com>: host mx.example[192.0.2.1] said: 550 5.1.1 unknown (in reply to RCPT TO)',
      status: [
        ['Reporting-MTA: dns; relay.example', 'X-Postfix-Queue-ID: 4F2A1'],
        [
          ...failed('5.1.1', 'smtp; 550 5.1.1 <anna@example.com>: Recipient'),
          '    address rejected: User unknown',
          'Remote-MTA: dns; mx.example',
        ],
      ],
    }),
    expected: {
      kind: 'bounced',
      category: 'BOUNCED_HARD_GENERAL',
      code: '550',
      name: '5.1.1',
    },
  },
  'Postfix, which reached no server in days': {
    mail: deliveryReport({
      headers: ['Auto-Submitted: auto-replied'],
      status: [
        ['Reporting-MTA: dns; relay.example'],
        failed('4.4.1', 'X-Postfix; connect to mx.example[192.0.2.1]:25: Connection timed out'),
      ],
    }),
    expected: { kind: 'bounced', category: 'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED', code: '0', name: '4.4.1' },
  },
  'Postfix, which still tries': {
    mail: deliveryReport({
      headers: ['Auto-Submitted: auto-replied'],
      status: [
        ['Reporting-MTA: dns; relay.example'],
        ['Final-Recipient: rfc822; anna@example.com', 'Action: delayed', 'Status: 4.4.1', 'Will-Retry-Until: later'],
      ],
    }),
    expected: { kind: 'delayed' },
  },
  'Exim, whose server gave a code alone': {
    mail: deliveryReport({
      headers: ['X-Failed-Recipients: anna@example.com', 'Auto-Submitted: auto-replied'],
      status: [
        ['Reporting-MTA: dns; exim.example'],
        [
          'Action: failed',
          'Final-Recipient: rfc822;anna@example.com',
          'Status: 5.0.0',
          'Remote-MTA: dns; mx.example',
          'Diagnostic-Code: smtp; 550 No such person at this address',
        ],
      ],
    }),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_UNDETERMINED', code: '550', name: '' },
  },
  'Exim, without a report': {
    mail: Buffer.from(
      crlf([
        'X-Failed-Recipients: anna@example.com',
        'Auto-Submitted: auto-replied',
        'From: Mail Delivery System <Mailer-Daemon@exim.example>',
        'Subject: Mail delivery failed: returning message to sender',
        '',
        'A message that you sent could not be delivered:',
        '',
        '  anna@example.com',
        '    host mx.example [192.0.2.1]',
        '    SMTP error from remote mail server after RCPT TO:<anna@example.com>:',
        '    552 5.2.2 mailbox full',
      ]),
    ),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_MAILBOX_FULL', code: '552', name: '5.2.2' },
  },
  'Exim, without a report, whose server gave a code alone': {
    mail: Buffer.from(
      crlf([
        'X-Failed-Recipients: anna@example.com',
        'Auto-Submitted: auto-replied',
        'Subject: Mail delivery failed: Warning: your order is delayed',
        '',
        '    SMTP error from remote mail server after RCPT TO:<anna@example.com>:',
        '    550 unknown user',
      ]),
    ),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_UNDETERMINED', code: '550', name: '' },
  },
  'qmail, which sends no reports': {
    mail: Buffer.from(
      crlf([
        'From: MAILER-DAEMON@qmail.example',
        'Subject: failure notice',
        '',
        'Hi. This is the qmail-send program at qmail.example.',
        '<anna@example.com>:',
        '192.0.2.1 does not like recipient.',
        'Remote host said: 553 sorry, no mailbox here',
        'Giving up on 192.0.2.1.',
      ]),
    ),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_UNDETERMINED', code: '553', name: '' },
  },
  'Exchange, with a status of its own': {
    mail: deliveryReport({
      status: [
        ['Reporting-MTA: dns;EXCH1.corp.example', 'Received-From-MTA: dns;relay.example', 'Arrival-Date: today'],
        [
          'Final-Recipient: rfc822;anna@example.com',
          'Action: failed',
          'Status: 5.1.10',
          'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by lookup',
        ],
      ],
    }),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_GENERAL', code: '550', name: '5.1.10' },
  },
  'Exchange, which gave up': {
    mail: deliveryReport({
      status: [['Reporting-MTA: dns;EXCH1.corp.example'], failed('5.4.7', 'smtp;400 4.4.7 Message delayed; expired')],
    }),
    expected: { kind: 'bounced', category: 'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED', code: '400', name: '4.4.7' },
  },
  'Gmail, with a reply of several lines': {
    mail: deliveryReport({
      headers: ['X-Failed-Recipients: anna@example.com', 'Auto-Submitted: auto-replied'],
      status: [
        ['Reporting-MTA: dns; googlemail.com', 'Arrival-Date: today', 'X-Original-Message-ID: <a@example.com>'],
        [
          ...failed('5.2.1', 'smtp; 550-5.2.1 The account is disabled. Learn more at'),
          ' 550 5.2.1  https://support.example/ q12-1 - gsmtp',
          'Last-Attempt-Date: today',
        ],
      ],
    }),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_MAILBOX_INACTIVE', code: '550', name: '5.2.1' },
  },
  'a filter that names the reputation of the sender': {
    mail: deliveryReport({ status: [failed('5.7.1', 'smtp; 550 5.7.1 blocked for poor reputation')] }),
    expected: { kind: 'bounced', category: 'BOUNCED_SOFT_SPAM', code: '550', name: '5.7.1' },
  },
  'sendmail, with a status for a code that has none': {
    mail: deliveryReport({ status: [['Reporting-MTA: dns; a.example'], failed('5.1.1', 'SMTP; 550 User unknown')] }),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_GENERAL', code: '550', name: '5.1.1' },
  },
  'a report for an address in another alphabet (RFC 6533)': {
    mail: deliveryReport({
      status: [['Reporting-MTA: dns; a.example'], failed('5.1.1 (bad address)')],
      statusType: 'message/global-delivery-status; charset=utf-8',
    }),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_GENERAL', code: '0', name: '5.1.1' },
  },
  'a list that lost one of its members': {
    mail: deliveryReport({
      status: [
        ['Reporting-MTA: dns; a.example'],
        ['Final-Recipient: rfc822; list@example.com', 'Action: expanded', 'Status: 2.1.5'],
        ['Final-Recipient: rfc822; one@example.com', 'Action: relayed', 'Status: 2.1.5'],
        failed('5.2.2', 'smtp; 552 5.2.2 over quota'),
      ],
    }),
    expected: { kind: 'bounced', category: 'BOUNCED_HARD_MAILBOX_FULL', code: '552', name: '5.2.2' },
  },
  'a report that says nothing of the cause': {
    mail: deliveryReport({ status: [['Final-Recipient: rfc822; anna@example.com', 'Action: failed']] }),
    expected: { kind: 'bounced', category: 'BOUNCED_UNCLASSIFIED', code: '0', name: '' },
  },
  'a confirmation of a delivery': {
    mail: deliveryReport({ status: [['Action: delivered', 'Status: 2.0.0']] }),
    expected: { kind: 'delivered' },
  },
  'a report whose status cannot be read': {
    mail: deliveryReport({ text: 'It failed: no such user', status: [['garbage']] }),
    expected: { kind: 'bounced', category: 'BOUNCED_UNCLASSIFIED' },
  },
  'a person who is absent': {
    mail: Buffer.from(
      crlf([
        'From: Anna <anna@example.com>',
        'Auto-Submitted: auto-replied (vacation)',
        'Subject: Out of office',
        '',
        'I am away until 5.5.2027. In 550 5.1.1 cases call me.',
      ]),
    ),
    expected: { kind: 'other' },
  },
  'a postmaster who is absent': {
    mail: Buffer.from(
      crlf(['From: postmaster@example.com', 'Auto-Submitted: auto-replied', 'Subject: Away', '', '550 5.1.1']),
    ),
    expected: { kind: 'other' },
  },
  'a person who replies': {
    mail: Buffer.from(crlf(['From: anna@example.com', 'Subject: Re: News', '', '550 5.1.1 is what I got'])),
    expected: { kind: 'other' },
  },
  'a warning that the mail is late': {
    mail: Buffer.from(
      crlf(['From: Mailer-Daemon@exim.example', 'Subject: Warning: message 1 delayed 24 hours', '', '451 4.7.1 later']),
    ),
    expected: { kind: 'delayed' },
  },
};

export interface Feedback {
  readonly type?: string;
  readonly fields?: readonly string[];
  readonly original?: readonly string[];
  readonly originalType?: string;
}

export const feedbackReport = ({ type = 'abuse', fields = [], original = [], originalType }: Feedback): Buffer =>
  Buffer.from(
    crlf([
      'From: <fbl@mailbox.example>',
      'Subject: FW: News',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary="part"',
      '',
      '--part',
      'Content-Type: text/plain',
      '',
      'This is a report of abuse.',
      '--part',
      'Content-Type: message/feedback-report',
      '',
      `Feedback-Type: ${type}`,
      'User-Agent: Feedback/1.0',
      'Version: 1',
      ...fields,
      '--part',
      `Content-Type: ${originalType ?? 'message/rfc822'}`,
      'Content-Disposition: inline',
      '',
      ...original,
      '',
      'Hello',
      '--part--',
      '',
    ]),
    'latin1',
  );
