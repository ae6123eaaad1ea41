import { MailOpen } from '@tidings/events';

/** A request of a link in a mail. */
export interface MailRequest {
  /** Undefined = none was sent. */
  readonly userAgent: string | undefined;
  readonly isHead: boolean;
  /** The time since the mail was written. The receiving side accepted it later, so this is the most that can have passed since then. */
  readonly afterMs: number;
}

/** A person does not read a mail within this time after its acceptance (R-E17). */
const READER_DELAY_MS = 2000;

/** Apple Mail Privacy Protection loads every image when a mail arrives, with nothing else in its user agent. */
const AMPP = 'Mozilla/5.0';

/** Proxies load images when a person opens the mail. */
const IMAGE_PROXY = /\b(?:googleimageproxy|yahoomailproxy)\b/i;

/** Names of scanners: security gateways, reputation services, crawlers, and HTTP libraries that no mail client uses. */
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

/** Whether a person or a machine opened a mail, judged by the request for its image or one of its links (R-E17). */
export function mailOpenOf({ userAgent, isHead, afterMs }: MailRequest): MailOpen {
  if (userAgent === AMPP) return MailOpen.MAIL_OPEN_MACHINE_AMPP;
  if (isHead || afterMs < READER_DELAY_MS) return MailOpen.MAIL_OPEN_MACHINE;
  if (userAgent === undefined || userAgent.trim() === '') return MailOpen.MAIL_OPEN_UNKNOWN;
  if (IMAGE_PROXY.test(userAgent)) return MailOpen.MAIL_OPEN_HUMAN;
  return SCANNER.test(userAgent) ? MailOpen.MAIL_OPEN_MACHINE : MailOpen.MAIL_OPEN_HUMAN;
}
