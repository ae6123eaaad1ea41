import type { TestDevice } from '@tidings/audience';
import { TOKEN_BIT, tokenText } from '@tidings/channels';
import { TOKEN_BYTES } from '@tidings/kernel';
import { type Columns, LONG_TOKEN } from './columns.ts';
import type { ScanFields } from './scan-fields.ts';

const NO_CHECK = 0;

export function readTestDevices(
  columns: Columns,
  devices: ReadonlyMap<number, TestDevice>,
  positions: Iterable<number>,
  { values = [], fields = [], languages }: Pick<ScanFields, 'values' | 'fields' | 'languages'>,
): void {
  columns.reset(values.length, fields);
  for (const position of positions) {
    const device = devices.get(position);
    if (!device) continue;
    const { platform, language = '' } = device;
    const token = tokenText(platform, device.pushToken);
    const isLong = Buffer.byteLength(token) > TOKEN_BYTES;
    if (!isLong) columns.tokens.bytes.appendText(token);
    columns.values.addEmpty(columns.count);
    columns.fieldTexts.addEmpty(columns.count);
    columns.add({
      position,
      platform,
      flags: isLong ? LONG_TOKEN : 0,
      fields: TOKEN_BIT,
      language: !languages || languages.has(language) ? language : '',
      controlBucket: 0,
      check: NO_CHECK,
      badge: 0,
      badgeGeneration: 0,
    });
  }
}
