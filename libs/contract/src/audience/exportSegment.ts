import { z } from 'zod';
import { audience } from '../families/audience.ts';
import { optionalUnless } from '../presence.ts';
import { array, boolean, object, oneOf, optional, text } from '../values.ts';

const EXPORT_DATA = ['hwids', 'push_tokens', 'users', 'tags'] as const;

const format = text.transform((word) => word.toLowerCase()).pipe(oneOf(['csv', 'json']));

const request = object({
  filterExpression: optionalUnless(text, (given) =>
    (given['filterExpression'] ?? given['filterCode'] ?? null) === null ? 'filterExpression' : undefined,
  ),
  filterCode: optional(text),
  format: optional(format),
  exportData: optional(array(oneOf(EXPORT_DATA))),
  exportCsv: optional(boolean),
}).transform(({ filterExpression, filterCode = '', ...given }) => ({
  /** An expression wins over a filter. */
  ...(filterExpression === undefined
    ? { segment: { $case: 'filterCode' as const, value: filterCode }, path: 'filterCode' }
    : { segment: { $case: 'expression' as const, value: filterExpression }, path: 'filterExpression' }),
  format: given.format ?? 'csv',
  data: given.exportData?.length ? given.exportData : EXPORT_DATA,
  /** Otherwise devices are counted and nothing else. */
  isWritten: given.exportCsv ?? true,
}));

const exampleTask = { task_id: '2741835920174653' };

/**
 * Starts an export of the devices in a segment, of all applications that the token may use: a ZIP archive with a CSV file, or with a JSON object
 * in every line (R-N6). What the segment means is settled now. HTTP 429 while 100 jobs of the application are open, or 100 exports of several
 * applications of the account. Spec N.
 */
export const exportSegment = audience('POST exportSegment', {
  scope: 'api',
  input: request,
  output: z.object({ task_id: z.string() }),
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

/** How far an export has come, and once it is completed a link to its archive that holds for 24 hours, a new one at every call (R-N7). Spec N. */
export const getExportSegment = audience('POST exportSegment/result', {
  scope: 'optional',
  input: object({ task_id: text }).transform((given) => ({ taskId: given.task_id })),
  output: z.object({
    status: z.enum(['in-progress', 'completed', 'failed']),
    progress: z.int(),
    devices_count: z.int(),
    /** Both "" before there is an archive, and where devices are only counted. */
    filename: z.string(),
    csv_filename: z.string(),
  }),
  examples: [
    {
      request: exampleTask,
      reply: {
        ...{ status: 'completed' as const, progress: 100, devices_count: 17 },
        ...{ filename: exampleLink, csv_filename: exampleLink },
      },
    },
  ],
});
