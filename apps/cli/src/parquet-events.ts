import type { EventData } from '@tidings/contract';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';

type Column = keyof EventData;

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const json = { type: 'BYTE_ARRAY', converted_type: 'JSON' } as const;
const integer = { type: 'INT64' } as const;
const time = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const;

const columns: Readonly<Record<Column, typeof text | typeof json | typeof integer | typeof time>> = {
  id: text,
  event: text,
  time,
  application_code: text,
  message_code: text,
  message_id: integer,
  campaign_id: integer,
  platform: text,
  hwid: text,
  user_id: text,
  payload: text,
  details: json,
  attributes: json,
};

const names = Object.keys(columns) as Column[];
const nullable: ReadonlySet<Column> = new Set(['campaign_id', 'payload']);

function cellOf(name: Column, value: EventData[Column]): unknown {
  if (name === 'time') return new Date(value as string);
  return typeof value === 'number' ? BigInt(value) : value;
}

/** Bounds the memory for an export of any size. */
const ROWS_OF_GROUP = 5_000;

export interface EventFile {
  add(event: EventData): void;
  /** Completes the file. */
  end(): void;
}

export function parquetFile(path: string): EventFile {
  const parquet = new ParquetWriter({
    writer: fileWriter(path),
    schema: [
      { name: 'events', num_children: names.length },
      ...names.map((name) => ({
        name,
        repetition_type: nullable.has(name) ? ('OPTIONAL' as const) : ('REQUIRED' as const),
        ...columns[name],
      })),
    ],
  });
  let rows: EventData[] = [];
  const flush = (): void => {
    if (rows.length === 0) return;
    const columnData = names.map((name) => ({ name, data: rows.map((row) => cellOf(name, row[name])) }));
    void parquet.write({ columnData, rowGroupSize: ROWS_OF_GROUP });
    rows = [];
  };
  return {
    add(event) {
      rows.push(event);
      if (rows.length === ROWS_OF_GROUP) flush();
    },
    end() {
      flush();
      void parquet.finish();
    },
  };
}
