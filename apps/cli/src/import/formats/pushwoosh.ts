import { given, listOf, platformOf } from '../fields.ts';
import { normalized, REASON, type Row, textIn, textOf } from '../row.ts';
import { tagTypes } from '../tag-types.ts';
import type { Format, FormatContext } from './format.ts';

const columns = new Set(
  ['Hwid', 'User ID', 'Push Token', 'Type', 'Type (humanized)', 'type_humanized', REASON].map(normalized),
);
/** In JSON lines the tags are an object of their own. */
const TAGS = 'tags.';

function tagsIn(row: Row, { tags: types }: FormatContext): Record<string, unknown> {
  const tags: Record<string, unknown> = {};
  for (const [index, { name, key }] of row.columns.list.entries()) {
    const value = row.values[index];
    if (columns.has(key) || value === null || textOf(value) === '') continue;
    const tag = name.startsWith(TAGS) ? name.slice(TAGS.length) : name;
    // A CSV joins the values of a list.
    const isList = types.get(tag) === tagTypes.list;
    tags[tag] = isList && typeof value === 'string' ? listOf(value, ',') : value;
  }
  return tags;
}

/** An export of a segment of Pushwoosh, or of this system. */
export const pushwoosh: Format = {
  title: 'Pushwoosh',
  required: ['Hwid', 'Type'],
  // Any other column is a tag.
  knows: () => true,
  read(row, context) {
    const platform = platformOf(textIn(row, 'Type'));
    if (platform === undefined) return 'a Type to which nothing can be sent';
    const hwid = textIn(row, 'Hwid');
    const user = textIn(row, 'User ID');
    return {
      device: {
        hwid,
        push_token: textIn(row, 'Push Token'),
        platform,
        // A device without a user is exported with its own identifier.
        user_id: user === hwid ? undefined : given(user),
        tags: tagsIn(row, context),
      },
    };
  },
};
