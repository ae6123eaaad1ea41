import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { EventData } from '@tidings/contract';
import { Option } from 'commander';
import type { EventFile } from '../parquet-events.ts';
import { withoutControls } from '../control-characters.ts';
import { Failure } from '../session.ts';
import { streamedLines } from '../streamed-lines.ts';
import type { AddCommands } from './command.ts';

interface ExportOptions {
  readonly app: string;
  readonly since: string;
  readonly until?: string;
  readonly format: 'ndjson' | 'parquet';
  readonly out?: string;
}

function lineFile(path: string): EventFile {
  const file = openSync(path, 'w');
  return {
    add: (event) => void writeSync(file, `${JSON.stringify(event)}\n`),
    end: () => closeSync(file),
  };
}

/** A file that is there is whole. */
async function writeFile(
  { format, out }: { readonly format: ExportOptions['format']; readonly out: string },
  lines: AsyncIterable<string>,
): Promise<number> {
  const partial = `${out}.partial`;
  const open = format === 'parquet' ? (await import('../parquet-events.ts')).parquetFile : lineFile;
  const file = open(partial);
  let count = 0;
  try {
    for await (const line of lines) {
      file.add(JSON.parse(line) as EventData);
      count++;
    }
    file.end();
    renameSync(partial, out);
    return count;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

export const addEvents: AddCommands = (program, withSession, write) => {
  const events = program.command('events').description('events of devices and messages');
  events
    .command('export')
    .description(
      'write the events of an application of the last 72 hours, as a subscription with --format json has them',
    )
    .requiredOption('--app <code>', 'application')
    .requiredOption('--since <time>', 'first time, such as 2026-01-15T12:00:00Z')
    .option('--until <time>', 'end, which is excluded; now if left out')
    .addOption(new Option('--format <name>', 'format').choices(['ndjson', 'parquet']).default('ndjson'))
    .option('--out <file>', 'file, which parquet needs; standard output if left out')
    .action(
      withSession(async ({ options, operator, print }, given: ExportOptions) => {
        operator();
        const { app: application, since, until, format, out } = given;
        if (format === 'parquet' && out === undefined) throw new Failure('--format parquet needs --out');
        const times = { since, ...(until !== undefined && { until }) };
        const url = new URL(
          `/admin/v1/events?${new URLSearchParams({ application, ...times }).toString()}`,
          options.url,
        );
        const lines = streamedLines(url, options);
        if (out === undefined) for await (const line of lines) write(`${withoutControls(line)}\n`);
        else {
          const count = await writeFile({ format, out }, lines);
          print({ events: count, file: out }, `${count} events in ${out}`);
        }
      }),
    );
};
