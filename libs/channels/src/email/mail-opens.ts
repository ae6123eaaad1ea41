import { MailOpen } from '@tidings/events';

export interface MailRequest {
  readonly userAgent: string | undefined;
  readonly isHead: boolean;
  readonly afterMs: number;
}

/** A person does not read a mail sooner (R-E17). */
const READER_DELAY_MS = 2000;

/** Apple Mail Privacy Protection loads every image on arrival. */
const AMPP = 'Mozilla/5.0';

/** These proxies load images when a person opens the mail. */
const IMAGE_PROXY = /\b(?:googleimageproxy|yahoomailproxy)\b/i;

const SCANNER = new RegExp(
  [
    // The phones of Cubot are no bots.
    String.raw`(?<!\bcu)bot\b`,
    ...['crawler', 'spider', 'scanner', 'headlesschrome', 'phantomjs', 'bingpreview', 'facebookexternalhit'],
    ...['barracuda', 'proofpoint', 'mimecast', 'messagelabs', 'symantec', 'trend ?micro', 'sophos', 'ironport'],
    ...['forcepoint', 'websense', 'fireeye', 'trellix', 'zscaler', 'fortiguard', 'fortinet', 'avanan', 'cloudmark'],
    ...['spamassassin', 'rspamd', 'virustotal', 'urlscan', 'bitdefender', 'kaspersky', 'safelinks', 'vade ?secure'],
    ...[String.raw`^(?:curl|wget|python|java|go-http-client|libwww-perl|apache-httpclient|node-fetch|axios|ruby)\b`],
  ].join('|'),
  'i',
);

export function mailOpenOf({ userAgent, isHead, afterMs }: MailRequest): MailOpen {
  if (userAgent === AMPP) return MailOpen.MAIL_OPEN_MACHINE_AMPP;
  if (isHead || afterMs < READER_DELAY_MS) return MailOpen.MAIL_OPEN_MACHINE;
  if (userAgent === undefined || userAgent.trim() === '') return MailOpen.MAIL_OPEN_UNKNOWN;
  if (IMAGE_PROXY.test(userAgent)) return MailOpen.MAIL_OPEN_HUMAN;
  return SCANNER.test(userAgent) ? MailOpen.MAIL_OPEN_MACHINE : MailOpen.MAIL_OPEN_HUMAN;
}
