import { Option } from 'commander';
import { inOneLine } from '../control-characters.ts';
import { Failure } from '../session.ts';
import { streamedLines } from '../streamed-lines.ts';
import type { AddCommands } from './command.ts';

interface TapOptions {
  readonly from: string;
  readonly limit?: string;
  readonly key?: string;
}

interface Tapped {
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly published_at: string;
  readonly record?: unknown;
  readonly payload?: string;
}

const shown = ({ partition, offset, key, published_at: at, record, payload }: Tapped): string =>
  `${at} ${partition}/${offset} ${inOneLine(key)} ${record === undefined ? `undecoded ${payload}` : JSON.stringify(record)}`;

export const addTap: AddCommands = (program, withSession) => {
  program
    .command('tap')
    .description(
      "print the records of a public topic, or of a subscriber's, as they are published, one a line, until interrupted",
    )
    .argument('<topic>', 'such as tidings.outcomes, or the topic of a kafka:// subscription')
    .addOption(new Option('--from <start>', 'the first record').choices(['latest', 'earliest']).default('latest'))
    .option('--limit <n>', 'end after this number of records')
    .option('--key <text>', 'only records whose keys contain this text')
    .action(
      withSession(async ({ options, operator, print }, topic: string, { from, limit, key = '' }: TapOptions) => {
        operator();
        const url = new URL(`/admin/v1/tap/${encodeURIComponent(topic)}?from=${from}`, options.url);
        const most = limit === undefined ? Infinity : Number(limit);
        if (!(most > 0)) throw new Failure('--limit must be a number above 0');
        let count = 0;
        for await (const line of streamedLines(url, options)) {
          const tapped = JSON.parse(line) as Tapped;
          if (!tapped.key.includes(key)) continue;
          print(tapped, options.json ? '' : shown(tapped));
          if (++count >= most) break;
        }
      }),
    );
};
