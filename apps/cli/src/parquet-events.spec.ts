import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type EventData, eventDataOf, eventExamples } from '@tidings/contract';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { parquetFile } from './parquet-events.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-parquet-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function written(events: readonly EventData[]) {
  const path = join(folder, 'events.parquet');
  const parquet = parquetFile(path);
  for (const event of events) parquet.add(event);
  parquet.end();
  const file = await asyncBufferFromFile(path);
  const { row_groups: groups } = await parquetMetadataAsync(file);
  return { rows: await parquetReadObjects({ file }), groups: groups.map(({ num_rows: rows }) => Number(rows)) };
}

const examples = eventExamples.map(eventDataOf);

it('a Parquet file has a row for each event, with the names of its JSON', async () => {
  const { rows } = await written(examples);
  expect(rows).toEqual(
    examples.map((event) => ({
      ...event,
      time: new Date(event.time),
      message_id: BigInt(event.message_id),
      campaign_id: event.campaign_id === null ? null : BigInt(event.campaign_id),
    })),
  );
});

it('a Parquet file is written in groups of rows', async () => {
  const events = Array.from({ length: 10_001 }, (_, i) => ({ ...examples[i % examples.length]!, hwid: `phone-${i}` }));
  const { rows, groups } = await written(events);
  expect(groups).toEqual([5_000, 5_000, 1]);
  expect(rows.map(({ hwid }) => hwid as string)).toEqual(events.map(({ hwid }) => hwid));
});

it('a Parquet file may be empty', async () => {
  expect(await written([])).toEqual({ rows: [], groups: [] });
});
