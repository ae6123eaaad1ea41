import { createHmac, type KeyObject } from 'node:crypto';
import type { Application } from '@tidings/audience';
import { Platform } from '@tidings/kernel';
import type { Versioned } from '@tidings/registry-store';
import type { ApplicationView } from '@tidings/rpc';
import { type MasterKeys, open } from '@tidings/runtime';

export const applicationView = (application: Versioned<Application>): ApplicationView => ({
  account: application.account,
  code: application.code,
  title: application.title,
  authorizeAllTokens: application.authorizeAllTokens,
  debugUntil: application.debugUntil,
  platforms: application.platforms.map(({ platform, enabled, credentialVersion }) => ({
    platform,
    enabled,
    configured: credentialVersion > 0,
    credentialVersion,
  })),
  version: BigInt(application.rev),
  deleted: application.deletedAt !== undefined,
  controlGroupPercentage: (application.controlBuckets ?? 0) / 100,
  atMostOnce: application.atMostOnce ?? false,
  emailOnly: false,
  trackingOff: application.trackingOff ?? false,
  inboxTokenRequired: application.inboxTokenRequired ?? false,
  testDeviceTokenRequired: application.testDeviceTokenRequired ?? false,
  capping: application.capping && { ...application.capping },
});

const encodedFields = [
  { field: 'adm_cid', platform: Platform.Amazon, setting: 'adm_cid' },
  { field: 'adm_secret', platform: Platform.Amazon, setting: 'adm_secret' },
  { field: 'android_gcm_api_key', platform: Platform.Android, setting: 'android_fcm_service_account' },
  { field: 'ios_key_password', platform: Platform.iOS, setting: 'ios_key_password' },
] as const;

const clearFields = [
  { field: 'ios_gateway', platform: Platform.iOS },
  { field: 'ios_key_management_type', platform: Platform.iOS },
] as const;

const unknownFields = ['ios_apple_appid', 'ios_apple_team', 'ios_apple_user', 'wp7_state', 'wp7_type'] as const;

/** `x` and 32 hex digits: stable and irreversible. "" stays "". */
const encoded = (displayKey: KeyObject, application: string, field: string, secret: string): string =>
  secret === ''
    ? ''
    : `x${createHmac('sha256', displayKey).update(`${application}\0${field}\0${secret}`).digest('hex').slice(0, 32)}`;

export function shownSettings(
  application: Application,
  masterKeys: MasterKeys,
  displayKey: KeyObject,
): Record<string, string> {
  const settingsOf = (platform: number) => application.platforms.find((each) => each.platform === platform);
  const secretOf = (platform: number, field: string): string => {
    const settings = settingsOf(platform);
    const sealed = settings?.sealed[field];
    if (!sealed) return settings?.settings[field] ?? '';
    return open(masterKeys, { application: application.code, field }, sealed).toString();
  };
  return {
    ...Object.fromEntries(unknownFields.map((field) => [field, ''])),
    ...Object.fromEntries(
      clearFields.map(({ field, platform }) => [field, settingsOf(platform)?.settings[field] ?? '']),
    ),
    ...Object.fromEntries(
      encodedFields.map(({ field, platform, setting }) => [
        field,
        encoded(displayKey, application.code, field, secretOf(platform, setting)),
      ]),
    ),
    android_api_type: (settingsOf(Platform.Android)?.credentialVersion ?? 0) > 0 ? 'fcm' : '',
  };
}
