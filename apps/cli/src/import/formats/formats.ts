import { type FieldMap, fieldsFrom, mapKeys, stateFrom, tagsFrom } from '../map-file.ts';
import { normalized, REASON } from '../row.ts';
import { airship } from './airship.ts';
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { onesignal } from './onesignal.ts';
import { pinpoint } from './pinpoint.ts';
import { pushwoosh } from './pushwoosh.ts';

const vendors = { onesignal, pushwoosh, pinpoint, airship } as const;

export type FormatName = keyof typeof vendors | 'csv';

export const formatNames: readonly FormatName[] = [...(Object.keys(vendors) as (keyof typeof vendors)[]), 'csv'];

/** A map adds fields and tags to those of the vendor's format, and takes precedence. */
export function formatFor(name: FormatName, map: FieldMap): Format {
  const format = name === 'csv' ? csv(map) : vendors[name];
  const mapped = mapKeys(map);
  const knows: Format['knows'] = (key) => key === normalized(REASON) || mapped.has(key) || format.knows(key);
  if (name === 'csv') return { ...format, knows };
  return {
    ...format,
    knows,
    read(row, context) {
      const subscriber = format.read(row, context);
      if (typeof subscriber === 'string') return subscriber;
      const { device, ...state } = subscriber;
      const tags = { ...device.tags, ...tagsFrom(map, row) };
      return { device: { ...device, ...fieldsFrom(map, row), tags }, ...state, ...stateFrom(map, row) };
    },
  };
}
