import { platformName } from './fields.ts';
import { table } from '../table.ts';
import type { Survey } from './survey.ts';
import { type TagTypeName, tagTypes } from './tag-types.ts';

export interface Tag {
  readonly name: string;
  readonly type: TagTypeName;
}

/** Tags of the file that the account lacks. A map's types take precedence over those of the values. */
export function missingTags(
  { tags }: Pick<Survey, 'tags'>,
  existing: ReadonlyMap<string, number>,
  declared: ReadonlyMap<string, TagTypeName>,
): Tag[] {
  return [...tags]
    .filter(([name]) => !existing.has(name))
    .map(([name, type]) => ({ name, type: declared.get(name) ?? type }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const section = (
  title: string,
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] =>
  rows.length === 0
    ? []
    : [
        title,
        table(
          heading,
          rows.map((row) => row.map(String)),
        ),
        '',
      ];

const sentence = (count: number, text: string): string[] => (count === 0 ? [] : [`${count} ${text}`]);

export function shownPlan(path: string, found: Survey, missing: readonly Tag[]): string {
  const { platforms, skipped, unknownColumns, browsers } = found;
  const lost = [...browsers].flatMap(([platform, count]) =>
    sentence(
      count,
      `browsers (${platformName(platform)}) get no push unless configureApplication has the VAPID pair that they subscribed with`,
    ),
  );
  const lines = [
    `${path}: ${found.rows} rows`,
    '',
    ...section(
      'Registrations',
      ['platform', 'devices'],
      [...platforms].map(([platform, count]) => [platformName(platform), count]),
    ),
    ...sentence(found.withoutToken, 'of them without a push token, as their users have unsubscribed'),
    ...sentence(found.unsubscribed, 'of them e-mail contacts that have unsubscribed'),
    ...sentence(found.blacklisted, 'addresses for the blacklist'),
    ...lost,
    '',
    ...section(
      'Skipped',
      ['rows', 'first line', 'reason'],
      skipped.map(({ rows, firstLine, reason }) => [rows, firstLine, reason]),
    ),
    ...section(
      'Tags that --create-tags creates',
      ['name', 'type'],
      missing.map(({ name, type }) => [name, type]),
    ),
    ...(unknownColumns.length > 0 ? [`Columns that are not imported: ${unknownColumns.join(', ')}`] : []),
  ];
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd();
}

export const planAsJson = (path: string, found: Survey, missing: readonly Tag[]): object => ({
  file: path,
  rows: found.rows,
  platforms: Object.fromEntries([...found.platforms].map(([platform, count]) => [platformName(platform), count])),
  without_token: found.withoutToken,
  unsubscribed: found.unsubscribed,
  blacklisted: found.blacklisted,
  browsers: Object.fromEntries([...found.browsers].map(([platform, count]) => [platformName(platform), count])),
  skipped: found.skipped.map(({ reason, rows, firstLine }) => ({ reason, rows, first_line: firstLine })),
  missing_tags: missing.map(({ name, type }) => ({ name, type: tagTypes[type], type_name: type })),
  unknown_columns: found.unknownColumns,
});
