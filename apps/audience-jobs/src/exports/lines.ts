import { outputOf, plainText, type TagOutput } from '@tidings/audience';
import { ExportFormat } from '@tidings/events';
import { Fault, jsonInteger, Platform, type PlatformCode } from '@tidings/kernel';
import type { DeviceFields, ScannedDevice, TagColumn } from '@tidings/rpc';

export interface Columns {
  readonly fields: DeviceFields;
  readonly tags: readonly TagColumn[];
  /** Spreadsheets would take such cells for formulas. @default false */
  readonly escaped?: boolean;
}

export interface Lines {
  readonly head: string;
  readonly of: (device: ScannedDevice) => string;
}

const platformNames = {
  [Platform.iOS]: 'iOS',
  [Platform.Blackberry]: 'BlackBerry',
  [Platform.Android]: 'Android',
  [Platform.WindowsPhone]: 'Windows Phone',
  [Platform.MacOS]: 'Mac OS X',
  [Platform.Windows]: 'Windows',
  [Platform.Amazon]: 'Amazon',
  [Platform.Safari]: 'Safari',
  [Platform.Chrome]: 'Chrome',
  [Platform.Firefox]: 'Firefox',
  [Platform.InternetExplorer]: 'Internet Explorer 11',
  [Platform.Email]: 'Email',
  [Platform.Huawei]: 'Huawei',
  [Platform.Sms]: 'SMS',
  [Platform.Xiaomi]: 'Xiaomi',
  [Platform.WhatsApp]: 'WhatsApp',
  [Platform.Kakao]: 'Kakao',
  [Platform.Line]: 'LINE',
} as const satisfies Record<PlatformCode, string>;

const platformName = (platform: number): string => platformNames[platform as PlatformCode] ?? '';

const NEEDS_QUOTES = /[",\r\n]/;

const csvField = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(',')}\r\n`;

const IS_FORMULA = /^[=+\-@\t\r]/;
const IS_NUMBER = /^[+-]?[0-9.]+$/;
const unlikeFormula = (text: string): string => (IS_FORMULA.test(text) && !IS_NUMBER.test(text) ? `'${text}` : text);

function csvText(output: TagOutput | undefined): string {
  if (output === undefined) return '';
  if (typeof output === 'object') return output.join(',');
  return typeof output === 'boolean' ? String(output) : (plainText(output) ?? '');
}

const jsonOutput = (output: TagOutput | undefined): unknown =>
  typeof output === 'bigint' ? jsonInteger(output) : output;

const outputsOf = ({ tags }: ScannedDevice): ReadonlyMap<number, TagOutput> =>
  new Map(tags.flatMap(({ tag, value }) => (value ? [[tag, outputOf(value)] as const] : [])));

function csv({ fields, tags: columns, escaped = false }: Columns): Lines {
  const tags = fields.tags ? columns : [];
  const line = (cells: readonly string[]): string => csvLine(escaped ? cells.map(unlikeFormula) : cells);
  return {
    head: line([
      ...(fields.hwid ? ['Hwid'] : []),
      ...(fields.userId ? ['User ID'] : []),
      ...(fields.pushToken ? ['Push Token'] : []),
      ...['Type', 'Type (humanized)'],
      ...tags.map(({ name }) => name),
    ]),
    of(device) {
      const outputs = outputsOf(device);
      return line([
        ...(fields.hwid ? [device.hwid] : []),
        ...(fields.userId ? [device.userId] : []),
        ...(fields.pushToken ? [device.pushToken] : []),
        ...[String(device.platform), platformName(device.platform)],
        ...tags.map(({ tag }) => csvText(outputs.get(tag))),
      ]);
    },
  };
}

function json({ fields, tags: columns }: Columns): Lines {
  return {
    head: '',
    of(device) {
      const outputs = outputsOf(device);
      const set = columns.flatMap(({ tag, name }) =>
        outputs.has(tag) ? [[name, jsonOutput(outputs.get(tag))] as const] : [],
      );
      const line = {
        ...(fields.hwid && { hwid: device.hwid }),
        ...(fields.userId && { user_id: device.userId }),
        ...(fields.pushToken && { push_token: device.pushToken }),
        type: device.platform,
        type_humanized: platformName(device.platform),
        ...(fields.tags && { tags: Object.fromEntries(set) }),
      };
      return `${JSON.stringify(line)}\n`;
    },
  };
}

export function linesOf(format: ExportFormat, columns: Columns): Lines {
  switch (format) {
    case ExportFormat.EXPORT_FORMAT_CSV:
      return csv(columns);
    case ExportFormat.EXPORT_FORMAT_JSON:
      return json(columns);
    case ExportFormat.EXPORT_FORMAT_UNSPECIFIED:
      throw Fault.bug('an export without a file has no lines');
  }
}
