import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Platform } from '@tidings/kernel';
import { type MailSender, withMailSender } from './mail-senders.ts';

export interface PlatformSettings {
  readonly platform: number;
  readonly enabled: boolean;
  readonly credentialVersion: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly sealed: Readonly<Record<string, Uint8Array>>;
  /** Absent for settings of earlier versions. */
  readonly configuredAt?: Date | undefined;
}

export interface Application {
  readonly kind: 'application';
  readonly account: string;
  readonly code: string;
  readonly title: string;
  readonly icon: string;
  readonly sdkIos: string;
  readonly sdkAndroid: string;
  readonly authorizeAllTokens: boolean;
  readonly debugUntil?: Date | undefined;
  readonly platforms: readonly PlatformSettings[];
  /** Size of the control group, in buckets of 10,000 (R-E15). @default 0 */
  readonly controlBuckets?: number | undefined;
  readonly capping?: { readonly days: number; readonly count: number } | undefined;
  /** Fails pushes that a dead worker may have sent. @default false */
  readonly atMostOnce?: boolean | undefined;
  readonly trackingOff?: boolean | undefined;
  readonly inboxTokenRequired?: boolean | undefined;
  readonly testDeviceTokenRequired?: boolean | undefined;
  readonly mailSenders?: readonly MailSender[] | undefined;
  readonly createdAt: Date;
  /** Only the application's identity is left. */
  readonly deletedAt?: Date | undefined;
  readonly purgedAt?: Date | undefined;
}

export interface ApplicationGroup {
  readonly kind: 'group';
  readonly account: string;
  readonly code: string;
  readonly name: string;
  readonly applications: readonly string[];
  readonly createdAt: Date;
}

export function createdApplication({ account, event, at = new Date(0) }: AccountEvent): Application | undefined {
  if (event?.$case !== 'applicationCreated') return undefined;
  const { application: code, title, icon, sdkIos, sdkAndroid, authorizeAllTokens } = event.value;
  const details = { title, icon, sdkIos, sdkAndroid, authorizeAllTokens };
  return { kind: 'application', account, code, ...details, platforms: [], createdAt: at };
}

const withPlatform = (application: Application, changed: PlatformSettings): Application => ({
  ...application,
  platforms: [...application.platforms.filter(({ platform }) => platform !== changed.platform), changed].sort(
    (a, b) => a.platform - b.platform,
  ),
});

const deletedApplication = ({ account, code, createdAt }: Application, deletedAt: Date): Application => ({
  kind: 'application',
  account,
  code,
  createdAt,
  deletedAt,
  title: '',
  icon: '',
  sdkIos: '',
  sdkAndroid: '',
  authorizeAllTokens: false,
  platforms: [],
});

export function evolveApplication(application: Application, { event, at = new Date(0) }: AccountEvent): Application {
  switch (event?.$case) {
    case 'applicationUpdated': {
      const given = Object.entries(event.value).filter(
        ([name, value]) => name !== 'application' && value !== undefined,
      );
      return { ...application, ...Object.fromEntries(given) };
    }
    case 'platformConfigured': {
      const { platform, credentialVersion, settings, sealed, disabled } = event.value;
      const after = withPlatform(application, {
        platform,
        enabled: !disabled,
        credentialVersion,
        settings,
        sealed,
        configuredAt: at,
      });
      if (platform !== Platform.Email) return after;
      const mailSenders = withMailSender(application, settings, at);
      return mailSenders ? { ...after, mailSenders } : after;
    }
    case 'platformResealed': {
      const { platform, sealed } = event.value;
      const before = application.platforms.find((each) => each.platform === platform);
      return before ? withPlatform(application, { ...before, sealed }) : application;
    }
    case 'platformStatusSet': {
      const { platform, enabled } = event.value;
      const before = application.platforms.find((each) => each.platform === platform);
      return withPlatform(application, {
        credentialVersion: 0,
        settings: {},
        sealed: {},
        ...before,
        platform,
        enabled,
      });
    }
    case 'debugSet':
      return { ...application, debugUntil: event.value.until };
    case 'controlGroupSet':
      return { ...application, controlBuckets: event.value.buckets };
    case 'cappingSet': {
      const { days, count } = event.value;
      return { ...application, capping: count === 0 ? undefined : { days, count } };
    }
    case 'atMostOnceSet':
      return { ...application, atMostOnce: event.value.on };
    case 'trackingSet':
      return { ...application, trackingOff: !event.value.on };
    case 'tokenRequirementsSet': {
      const {
        inbox = application.inboxTokenRequired ?? false,
        testDevices = application.testDeviceTokenRequired ?? false,
      } = event.value;
      return { ...application, inboxTokenRequired: inbox, testDeviceTokenRequired: testDevices };
    }
    case 'applicationDeleted':
      return deletedApplication(application, at);
    case 'applicationPurged':
      return { ...application, purgedAt: at };
    default:
      return application;
  }
}
