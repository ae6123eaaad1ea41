import { outputOf, plainText, type TagOutput } from '@tidings/audience';
import { ExportFormat } from '@tidings/events';
import { Fault, jsonInteger, Platform, type PlatformCode } from '@tidings/kernel';
import type { DeviceFields, ScannedDevice, TagColumn } from '@tidings/rpc';

/** The columns of a file in addition to those of the platform (R-N6). */
export interface Columns {
  readonly fields: DeviceFields;
  /** Columns of tags, in order; used only if the fields include tags. */
  readonly tags: readonly TagColumn[];
  /** Whether cells of CSV that a spreadsheet would take for formulas get an apostrophe. @default false */
  readonly escaped?: boolean;
}

/** The encoding of devices in a file. */
export interface Lines {
  /** The beginning of the file. */
  readonly head: string;
  /** The line of a device, including its line break. */
  readonly of: (device: ScannedDevice) => string;
}

/** Display names of the platforms. */
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

/** A field in RFC 4180 encoding. */
const csvField = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(',')}\r\n`;

const IS_FORMULA = /^[=+\-@\t\r]/;
/** Also a phone number. */
const IS_NUMBER = /^[+-]?[0-9.]+$/;
const unlikeFormula = (text: string): string => (IS_FORMULA.test(text) && !IS_NUMBER.test(text) ? `'${text}` : text);

function csvText(output: TagOutput | undefined): string {
  if (output === undefined) return '';
  if (typeof output === 'object') return output.join(',');
  return typeof output === 'boolean' ? String(output) : (plainText(output) ?? '');
}

/** The value such that JSON.stringify writes it without loss. */
const jsonOutput = (output: TagOutput | undefined): unknown =>
  typeof output === 'bigint' ? jsonInteger(output) : output;

/** The set tags of a device, by number (R-RES9). */
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

/** A JSON object per line. */
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

/** The encoding of a format (R-N6). */
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
