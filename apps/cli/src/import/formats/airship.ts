import { given, listOf, platformOf } from '../fields.ts';
import { normalized, textIn, valueIn } from '../row.ts';
import { type Format, identityOf } from './format.ts';

/** Tags of Airship are words without values. */
const TAG = 'Airship Tags';

const columns = new Set(
  ['channel_id', 'device_type', 'push_address', 'opt_in', 'named_user_id', 'tags'].map(normalized),
);

const isOptedOut = (text: string): boolean => /^(f|false|n|no|0)$/i.test(text);

export const airship: Format = {
  title: 'Airship',
  required: ['channel_id', 'device_type', 'push_address'],
  knows: (key) => columns.has(key),
  read(row) {
    const platform = platformOf(textIn(row, 'device_type'));
    if (platform === undefined) return 'a device_type to which nothing can be sent';
    const address = textIn(row, 'push_address');
    const id = textIn(row, 'channel_id');
    const value = valueIn(row, 'tags');
    const tags = Array.isArray(value) ? value.map(String) : listOf(textIn(row, 'tags'), ',');
    return {
      device: {
        ...identityOf('airship', { platform, id, address }),
        platform,
        user_id: given(textIn(row, 'named_user_id')),
        ...(tags.length > 0 && { tags: { [TAG]: tags } }),
      },
      isUnsubscribed: isOptedOut(textIn(row, 'opt_in')),
    };
  },
};
