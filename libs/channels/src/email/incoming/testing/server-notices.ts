import type { ExpectedKind, ServerNotice } from './server-reports.ts';

const notice = (server: string, header: string, text: string, expected: ExpectedKind): ServerNotice => {
  const [from = '', subject = '', ...others] = header.split('\n');
  const lines = [`From: ${from}`, `Subject: ${subject}`, ...others, '', ...text.split('\n'), ''];
  return { server, mail: Buffer.from(lines.join('\r\n')), expected };
};

const daemon = 'Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>';

/** In the forms that mail servers document, in words of our own. */
export const serverNotices: readonly ServerNotice[] = [
  notice(
    'Postfix',
    `${daemon}\nDelayed Mail (still being retried)`,
    'THIS IS A WARNING ONLY.\nThe mail could not be delivered for 4 hours.\n\n<u@example.com>: host mx.example.com said: 451\n    4.7.1 come back later',
    'delayed',
  ),
  notice(
    'Postfix',
    `${daemon}\nUndelivered Mail Returned to Sender`,
    '<u@example.com>: host mx.example.com[192.0.2.1] said: 550\n    5.1.1 <u@example.com>: User unknown (in reply to RCPT\n    TO command)',
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'Exim',
    `${daemon}\nMail delivery failed: returning message to sender\nX-Failed-Recipients: u@example.com\nAuto-Submitted: auto-replied`,
    '  u@example.com\n    host mx.example.com [192.0.2.1]\n    SMTP error from remote mail server after RCPT TO:<u@example.com>:\n    550-mailbox unavailable\n    550 5.2.1 disabled',
    'BOUNCED_HARD_MAILBOX_INACTIVE',
  ),
  notice(
    'Exim',
    `${daemon}\nMail delivery failed: returning message to sender\nX-Failed-Recipients: u@example.com`,
    '  u@example.com\n    Unrouteable address\n\n------ This is a copy of the message, including all the headers. ------\n\nX-Score: 5.1.1\n550 5.2.2 is what the mail says',
    'BOUNCED_UNCLASSIFIED',
  ),
  notice(
    'Exim',
    `${daemon}\nWarning: message 1abCde-000123-Xy delayed 24 hours`,
    'The message has not yet been delivered to its recipients.\nDelivery attempts will continue for some time.',
    'delayed',
  ),
  notice(
    'qmail',
    'MAILER-DAEMON@q.example.net\nfailure notice',
    'Hi. This is the qmail-send program at q.example.net.\n\n<u@example.com>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <shop@example.net>',
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'qmail',
    'MAILER-DAEMON@q.example.net\nfailure notice',
    '<u@example.com>:\nI could not establish an SMTP connection. (#4.4.1)\nI am not going to try again; this message has been in the queue too long.',
    'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED',
  ),
  notice(
    'qmail',
    'MAILER-DAEMON@q.example.net\nfailure notice',
    '<u@example.com>:\n192.0.2.1 does not like recipient.\nRemote host said: 550 5.2.1 Mailbox disabled\nGiving up on 192.0.2.1.',
    'BOUNCED_HARD_MAILBOX_INACTIVE',
  ),
  notice(
    'qmail',
    'MAILER-DAEMON@q.example.net\nfailure notice',
    '<u@example.com>:\nThe user is over quota. (#5.2.2)',
    'BOUNCED_HARD_MAILBOX_FULL',
  ),
  notice(
    'Sendmail',
    `${daemon}\nReturned mail: see transcript for details\nAuto-Submitted: auto-generated (failure)`,
    '   ----- Transcript of session follows -----\n... while talking to mx.example.com.:\n>>> RCPT To:<u@example.com>\n<<< 550 5.1.1 User unknown\n550 5.1.1 <u@example.com>... User unknown',
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'Sendmail',
    `${daemon}\nWarning: could not send message for past 4 hours\nAuto-Submitted: auto-generated (warning-timeout)`,
    '    **********************************************\n    **      THIS IS A WARNING MESSAGE ONLY      **\n    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **\n\n451 4.4.1 reply: read error from mx.example.com.',
    'delayed',
  ),
  notice(
    'Exchange',
    'System Administrator <postmaster@example.net>\nUndeliverable: News',
    'Your message did not reach some or all of the intended recipients.\n      u@example.com\n            There is no such account at the organization.\n            <mail.example.net #5.1.1 smtp;550 5.1.1 User unknown>',
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'Exchange',
    'postmaster@example.net\nDelivery delayed: News',
    "This message hasn't been delivered yet. Delivery will continue to be attempted.",
    'delayed',
  ),
  notice(
    'Exchange',
    'postmaster@example.net\nUndeliverable: News\nContent-Type: text/html; charset=utf-8',
    '<html><body><p>The address could not be found.</p>\n<p>Remote server returned &#39;550&nbsp;5.1.1 <b>User unknown</b>&#39;</p></body></html>',
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'Gmail',
    `${daemon}\nDelivery Status Notification (Delay)\nX-Failed-Recipients: u@example.com`,
    'There was a temporary problem delivering your message to u@example.com. Gmail will retry for 45 more hours.',
    'delayed',
  ),
  notice(
    'Gmail',
    `${daemon}\nDelivery Status Notification (Failure)\nX-Failed-Recipients: u@example.com`,
    'The response from the remote server was:\n\n552 5.2.2 The email account is over quota.\n\n----- Original message -----\n\nSubject: delayed',
    'BOUNCED_HARD_MAILBOX_FULL',
  ),
  notice(
    'Yahoo',
    'MAILER-DAEMON@yahoo.example\nFailure Notice',
    'Sorry, we were unable to deliver your message to the following address.\n\n<u@example.com>:\n554: delivery error: dd This user has no account - mta4.example.net',
    'BOUNCED_UNDETERMINED',
  ),
  notice(
    'GMX',
    'GMX Mailer Daemon <mailer-daemon@gmx.example>\nMail delivery failed: returning message to sender',
    'A message could not be delivered.\n\nu@example.com:\nSMTP error from remote server for RCPT TO command, host: mx.example.com (192.0.2.1) reason: 550 5.1.1 unknown user',
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'GMX',
    'mailer-daemon@gmx.example\n=?utf-8?Q?Verz=C3=B6gerte_Zustellung?=',
    'Die Nachricht wurde noch nicht zugestellt.',
    'delayed',
  ),
  notice(
    'T-Online',
    'Mail Delivery System <mailer-daemon@t-online.example>\nMail delivery failed',
    'u@example.com\n  SMTP error: 552 5.2.2 Mailbox voll',
    'BOUNCED_HARD_MAILBOX_FULL',
  ),
  notice(
    'Domino',
    'Postmaster@example.net\nDELIVERY DELAYED: News',
    'The message was not delivered yet to u@example.com.',
    'delayed',
  ),
  notice(
    'GroupWise',
    'Mailer-Daemon@gw.example.net\nMessage status - undeliverable',
    'The message that you sent was undeliverable to the following:\n\tu@example.com (550 mailbox unavailable or access denied)',
    'BOUNCED_HARD_UNDETERMINED',
  ),
  notice(
    'CommuniGate Pro',
    'MAILER-DAEMON@cgp.example.net\nUndeliverable mail: News',
    "Failed to deliver to 'u@example.com'\nSMTP module(domain example.com) reports:\n host mx.example.com says:\n 550 5.1.1 unknown user account",
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'Courier',
    '"Courier mail server at c.example.net" <postmaster@c.example.net>\nNOTICE: mail delivery status.',
    '                      UNDELIVERABLE MAIL\n\n<u@example.com>:\n     mx.example.com [192.0.2.1]:\n >>> RCPT TO:<u@example.com>\n <<< 550 User unknown.',
    'BOUNCED_HARD_UNDETERMINED',
  ),
  notice(
    'Courier',
    'postmaster@c.example.net\nWARNING: mail delivery status.',
    '                          DELAYED MAIL\n\nThe mail has not yet been delivered. You need not resend it.',
    'delayed',
  ),
  notice(
    'MailEnable',
    'Postmaster <postmaster@me.example.net>\nMessage Delivery Failure',
    'MailEnable: Message could not be delivered to some recipients.\nReason: The server of the recipient returned: 550 Requested action not taken: mailbox unavailable',
    'BOUNCED_HARD_UNDETERMINED',
  ),
  notice(
    'MailEnable',
    'Postmaster <postmaster@me.example.net>\nMessage Delivery Delayed',
    'The message will be retried for 48 hours.',
    'delayed',
  ),
  notice(
    'hMailServer',
    'mailer-daemon@hm.example.net\nMessage undeliverable: News',
    'The following recipient(s) could not be reached:\n\nu@example.com\n   Error Type: SMTP\n   Remote server (192.0.2.1) issued an error.\n   hMailServer sent: RCPT TO:<u@example.com>\n   Remote server replied: 550 5.1.1 User unknown',
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'Barracuda',
    'postmaster@filter.example.net\n**Message you sent blocked by our bulk email filter**',
    'Your message to u@example.com was blocked by the spam firewall.\nThe email was not delivered:\n  "News"',
    'BOUNCED_UNCLASSIFIED',
  ),
  notice(
    'Mimecast',
    'postmaster@mc.example.net\n[Postmaster] Email Delivery Failure',
    "This is a delivery failure notification message.\nThe email address u@example.com failed.\nThe reason for the problem:\n5.1.0 - Unknown address error 550-'Invalid Recipient - https://example.net/docs#550'",
    'BOUNCED_HARD_GENERAL',
  ),
  notice(
    'Mimecast',
    'postmaster@mc.example.net\n[Postmaster] Email Delivery Warning',
    'The email has not yet been delivered.\nNo action is required: delivery attempts will continue.',
    'delayed',
  ),
  notice(
    'IronPort',
    'Mail Delivery System <MAILER-DAEMON@esa.example.net>\nDelivery Status Notification (Failure)',
    "The following message to <u@example.com> was undeliverable.\nThe reason for the problem:\n5.1.0 - Unknown address error 550-'5.1.1 user unknown'",
    'BOUNCED_HARD_GENERAL',
  ),
  notice('people', 'Anna <u@example.com>\nDelayed: our meeting', '550 5.1.1 is what I got', 'other'),
  notice('people', 'u@example.com (Postmaster)\nRe: News', '550 5.1.1', 'other'),
  notice(
    'people',
    'postmaster@example.com\nRead: News\nContent-Type: multipart/report; report-type=disposition-notification; boundary=m',
    '--m\n\nYour message was read. 550 5.1.1\n--m\nContent-Type: message/disposition-notification\n\nDisposition: automatic-action/MDN-sent-automatically; displayed\n--m--',
    'other',
  ),
];
