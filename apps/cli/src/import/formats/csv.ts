import { fieldNames, type FieldMap, fieldsFrom, stateFrom, stateNames, tagsFrom } from '../map-file.ts';
import { normalized, type Row, textIn, textOf } from '../row.ts';
import type { Format } from './format.ts';

const TAGS = 'tags.';
const columns = new Set([...fieldNames, ...stateNames].map(normalized));

/** Without a map, columns have the names of the fields, and `tags.<name>` those of tags. */
const ownMap: FieldMap = Object.fromEntries([...fieldNames, ...stateNames].map((name) => [name, { column: name }]));

function tagColumns(row: Row): Record<string, unknown> {
  const tags: Record<string, unknown> = {};
  for (const [index, { name }] of row.columns.list.entries()) {
    const value = row.values[index];
    if (name.startsWith(TAGS) && value !== null && textOf(value) !== '') tags[name.slice(TAGS.length)] = value;
  }
  return tags;
}

/** A table of the team's own. */
export function csv(map: FieldMap): Format {
  const whole: FieldMap = { ...ownMap, ...map };
  return {
    title: 'a table',
    required: [],
    knows: (key) => columns.has(key) || key.startsWith(TAGS),
    read(row) {
      const { hwid = '', push_token = '', platform, ...fields } = fieldsFrom(whole, row);
      if (platform === undefined) {
        const isGiven = textIn(row, 'platform') !== '' || map.platform !== undefined;
        return isGiven ? 'a platform that is unknown' : 'no platform';
      }
      const tags = { ...tagColumns(row), ...tagsFrom(whole, row) };
      return { device: { ...fields, hwid, push_token, platform, tags }, ...stateFrom(whole, row) };
    },
  };
}
