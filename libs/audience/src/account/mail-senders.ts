import { Platform } from '@tidings/kernel';

interface Mailbox {
  readonly address: string;
  readonly name: string;
}

export interface MailSender {
  readonly since: Date;
  readonly from: Mailbox;
  readonly replyTo: Mailbox;
}

type Settings = Readonly<Record<string, string>>;

interface Sending {
  readonly platforms: readonly {
    readonly platform: number;
    readonly credentialVersion: number;
    readonly settings: Settings;
  }[];
  readonly mailSenders?: readonly MailSender[] | undefined;
}

const KEPT = 20;

const senderIn = (settings: Settings, since: Date): MailSender => ({
  since,
  from: { address: settings['email_from_email'] ?? '', name: settings['email_from_name'] ?? '' },
  replyTo: { address: settings['email_reply'] ?? '', name: '' },
});

const isSame = (a: MailSender, b: MailSender): boolean =>
  a.from.address === b.from.address && a.from.name === b.from.name && a.replyTo.address === b.replyTo.address;

/** Oldest first; the first one covers all mails before. */
export function mailSendersOf({ platforms, mailSenders }: Sending): readonly MailSender[] {
  if (mailSenders) return mailSenders;
  const configured = platforms.find(
    ({ platform, credentialVersion }) => platform === Platform.Email && credentialVersion > 0,
  );
  return configured ? [senderIn(configured.settings, new Date(0))] : [];
}

export function withMailSender(application: Sending, settings: Settings, at: Date): readonly MailSender[] | undefined {
  const before = mailSendersOf(application);
  const last = before.at(-1);
  const sender = senderIn(settings, at);
  if (!last || isSame(last, sender)) return application.mailSenders;
  return [...before, sender].slice(-KEPT);
}
