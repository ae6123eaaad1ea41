import { z } from 'zod';
import { audience } from '../families/audience.ts';
import { optionalUnless } from '../presence.ts';
import { array, boolean, identity, object, oneOf, optional, text } from '../values.ts';

const EXPORT_DATA = ['hwids', 'push_tokens', 'users', 'tags'] as const;

const format = text.transform((word) => word.toLowerCase()).pipe(oneOf(['csv', 'json']));

const request = object({
  filterExpression: optionalUnless(identity, (given) =>
    (given['filterExpression'] ?? given['filterCode'] ?? null) === null ? 'filterExpression' : undefined,
  ).describe('Expression of the segmentation language. Required without `filterCode`, and takes precedence over it.'),
  filterCode: optional(identity).describe('Code of a segment.'),
  format: optional(format).describe(
    'Format of the file: `csv`, the default, or `json`, one object per line. Case-insensitive.',
  ),
  exportData: optional(array(oneOf(EXPORT_DATA))).describe('Columns of the file; all if left out.'),
  exportCsv: optional(boolean).describe(
    'Whether to write a file; true if left out. With false, devices are only counted.',
  ),
  csv_escape: optional(boolean).describe(
    'Whether cells of a CSV file that a spreadsheet would take for formulas begin with an apostrophe; false if ' +
      'left out.',
  ),
}).transform(({ filterExpression, filterCode = '', ...given }) => ({
  ...(filterExpression === undefined
    ? { segment: { $case: 'filterCode' as const, value: filterCode } }
    : { segment: { $case: 'expression' as const, value: filterExpression } }),
  format: given.format ?? 'csv',
  data: given.exportData?.length ? given.exportData : EXPORT_DATA,
  isWritten: given.exportCsv ?? true,
  escaped: given.csv_escape ?? false,
}));

const exampleTask = { task_id: '2741835920174653' };

export const exportSegment = audience('POST exportSegment', {
  description:
    'Exports the devices in a segment, of all applications that the token may use: a ZIP archive with a CSV file, or ' +
    'with one JSON object per line. The segment is resolved when the call is made. HTTP 429 while the application ' +
    'has 100 open jobs, or the account 100 open exports of several applications.',
  scope: 'api',
  input: request,
  output: z.object({ task_id: z.string().describe('Identifies the export.') }),
  examples: [
    {
      request: {
        filterExpression: 'A("A1B2C-3D4E5") * T("Level", GTE, 5)',
        format: 'csv',
        exportData: ['hwids', 'tags'],
      },
      reply: exampleTask,
    },
    { request: { filterCode: '52551-F2F42', exportCsv: false }, reply: exampleTask },
  ],
});

const exampleLink =
  'https://push.example/exports/export_segment_A1B2C-3D4E5_1768478400.csv.zip?exp=1768564800&sig=00ff';

export const getExportSegment = audience('POST exportSegment/result', {
  description:
    'Returns the progress of an export, and once it is completed a new link to its archive, valid for 24 hours.',
  scope: 'optional',
  input: object({ task_id: identity.describe('Identifies the export.') }).transform((given) => ({
    taskId: given.task_id,
  })),
  output: z.object({
    status: z.enum(['in-progress', 'completed', 'failed']).describe('`in-progress`, `completed` or `failed`.'),
    progress: z.int().describe('Progress in per cent, 0 to 100.'),
    devices_count: z.int().describe('Number of devices.'),
    filename: z.string().describe('Link to the ZIP archive, valid for 24 hours; empty if there is none.'),
    csv_filename: z.string().describe('The same link under its former name.'),
  }),
  examples: [
    {
      request: exampleTask,
      reply: {
        status: 'completed' as const,
        progress: 100,
        devices_count: 17,
        filename: exampleLink,
        csv_filename: exampleLink,
      },
    },
  ],
});
