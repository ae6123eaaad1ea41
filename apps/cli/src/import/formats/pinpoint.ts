import { Platform } from '@tidings/kernel';
import { given, languageOf, listOf, timezoneOf } from '../fields.ts';
import { normalized, type Row, textIn, textOf } from '../row.ts';
import { type Format, identityOf } from './format.ts';

const platforms: Readonly<Record<string, number>> = {
  APNS: Platform.iOS,
  GCM: Platform.Android,
  ADM: Platform.Amazon,
  EMAIL: Platform.Email,
  SMS: Platform.Sms,
};

const columns = new Set(
  [
    ...['ChannelType', 'Address', 'Id', 'EndpointStatus', 'OptOut', 'RequestId', 'EffectiveDate', 'CreationDate'],
    ...['CohortId', 'ApplicationId', 'User.UserId'],
  ].map(normalized),
);
const prefixes = ['Location.', 'Demographic.', 'Attributes.', 'Metrics.', 'User.UserAttributes.'];
const keyPrefixes = prefixes.map(normalized);

const listsOf = ['Attributes.', 'User.UserAttributes.'];
const METRICS = 'Metrics.';

function listIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : listOf(textOf(value).trim(), ';');
}

/** Attributes of endpoint and user are lists, metrics numbers. */
function tagsIn(row: Row): Record<string, unknown> {
  const tags: Record<string, unknown> = {};
  for (const [index, { name }] of row.columns.list.entries()) {
    const value = row.values[index];
    if (textOf(value).trim() === '') continue;
    const list = listsOf.find((prefix) => name.startsWith(prefix));
    if (list) tags[name.slice(list.length)] = listIn(value);
    else if (name.startsWith(METRICS)) tags[name.slice(METRICS.length)] = value;
  }
  return tags;
}

/** Endpoints that were exported from Amazon Pinpoint. */
export const pinpoint: Format = {
  title: 'Amazon Pinpoint',
  required: ['ChannelType', 'Address'],
  knows: (key) => columns.has(key) || keyPrefixes.some((prefix) => key.startsWith(prefix)),
  read(row) {
    const platform = platforms[textIn(row, 'ChannelType').toUpperCase()];
    if (platform === undefined) return 'a ChannelType to which nothing can be sent';
    const address = textIn(row, 'Address');
    const device = {
      ...identityOf('pinpoint', { platform, id: textIn(row, 'Id'), address }),
      platform,
      user_id: given(textIn(row, 'User.UserId')),
      language: languageOf(textIn(row, 'Demographic.Locale')),
      timezone: timezoneOf(textIn(row, 'Demographic.Timezone')),
      app_version: given(textIn(row, 'Demographic.AppVersion')),
      device_model: given(textIn(row, 'Demographic.Model')),
      os_version: given(textIn(row, 'Demographic.PlatformVersion')),
      country: given(textIn(row, 'Location.Country')),
      city: given(textIn(row, 'Location.City')),
      tags: tagsIn(row),
    };
    return {
      device,
      isUnsubscribed: textIn(row, 'OptOut').toUpperCase() === 'ALL',
      isInvalid: textIn(row, 'EndpointStatus').toUpperCase() === 'INACTIVE',
    };
  },
};
