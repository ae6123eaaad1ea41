import { InvalidArgumentError, Option } from 'commander';
import { formatNames } from '../import/formats/formats.ts';
import { importFile, type ImportOptions, type ImportReport, planImport } from '../import/import-file.ts';
import { planAsJson, shownPlan } from '../import/plan.ts';
import { lines } from '../table.ts';
import type { AddCommands } from './command.ts';

const BATCH_ROWS = 10_000;
const MAX_BATCH_ROWS = 50_000;

function batchOf(text: string): number {
  const rows = Number(text);
  if (!Number.isInteger(rows) || rows < 1 || rows > MAX_BATCH_ROWS)
    throw new InvalidArgumentError(`It must be 1 to ${MAX_BATCH_ROWS}.`);
  return rows;
}

interface Given extends ImportOptions {
  readonly dryRun?: boolean;
}

function shown(path: string, { counts, rows, failedPath, seconds, importedRows, finished }: ImportReport): string {
  const summary = lines({
    rows,
    registered: counts.registered,
    unsubscribed: counts.unsubscribed || undefined,
    blacklisted: counts.blacklisted || undefined,
    skipped: counts.skipped || undefined,
    failed: counts.failed || undefined,
    'without some tags': counts.withoutSomeTags || undefined,
    'reasons in': failedPath,
    time: seconds === undefined ? undefined : `${seconds.toFixed(1)} s, ${Math.round(importedRows / seconds)} rows/s`,
  });
  return seconds === undefined
    ? `${path} was imported at ${finished}. --again imports it once more\n${summary}`
    : summary;
}

const asJson = ({ counts, rows, failedPath, seconds, importedRows, finished }: ImportReport): object => ({
  rows,
  imported_rows: importedRows,
  registered: counts.registered,
  unsubscribed: counts.unsubscribed,
  blacklisted: counts.blacklisted,
  skipped: counts.skipped,
  failed: counts.failed,
  without_some_tags: counts.withoutSomeTags,
  failed_rows: failedPath ?? null,
  seconds: seconds ?? null,
  finished,
});

export const addImport: AddCommands = (program, withSession) => {
  program
    .command('import')
    .description('register the devices and contacts of a file that another system has exported')
    .argument('<file>', 'CSV or JSON lines, also compressed by gzip')
    .addOption(new Option('--from <format>', 'who made the file').choices([...formatNames]).makeOptionMandatory())
    .requiredOption('--app <code>', 'the application')
    .option('--map <file>', 'YAML: columns, constants and templates for fields and tags')
    .option('--dry-run', 'read the file, show what would be imported, and change nothing')
    .option('--create-tags', 'create tags that the account lacks')
    .option('--ignore-tags', 'import without tags that the account lacks')
    .option('--adopt-by-token', 'a device that registers an imported push token gets the tags that it lacks')
    .option('--account <id>', 'account of the blacklist, if it is not the default one')
    .option('--batch <rows>', 'rows of a job, up to 50000', batchOf, BATCH_ROWS)
    .option('--again', 'import from the first row, also if the file was imported before')
    .action(
      withSession(async ({ backend, operator, options, print }, path: string, given: Given) => {
        const deps = { client: backend(), operator, url: options.url, isQuiet: options.json ?? false };
        if (given.dryRun) {
          const { found, missing } = await planImport(path, given, deps);
          return print(planAsJson(path, found, missing), shownPlan(path, found, missing));
        }
        const report = await importFile(path, given, deps);
        print(asJson(report), shown(path, report));
      }),
    );
};
