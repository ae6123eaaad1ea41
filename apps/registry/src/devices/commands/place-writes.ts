import { defaultTags, parseTagWrite, type TagDefinition, type TagWrite } from '@tidings/audience';
import type { Register } from '@tidings/rpc';

const { country: countryTag, city: cityTag } = defaultTags;

/** A text that names the tag in a registration, as a field or among its tags; undefined if nothing does. */
const named = (field: string | undefined, { name }: { readonly name: string }, tags: Register['tags']): unknown =>
  (tags && Object.hasOwn(tags, name) ? (tags[name] as unknown) : undefined) ?? field;

const write = (tag: TagDefinition, value: string | null | undefined): TagWrite[] => {
  const made = value === undefined ? undefined : parseTagWrite(tag, value);
  return made === undefined || typeof made === 'string' ? [] : [made];
};

/**
 * The writes of `Country` and `City` by the fields of a registration, and by the place of its address where these and its tags name none (R-RES17). A
 * city by address is only taken for a country that agrees with it. Where cities are known, but none here, the city of the place before is removed.
 */
export function placeWrites({ country, city, tags, located }: Register): TagWrite[] {
  const given = [...write(countryTag, country), ...write(cityTag, city)];
  if (!located) return given;
  const namedCountry = named(country, countryTag, tags);
  const byAddress = namedCountry === undefined ? write(countryTag, located.country) : [];
  const isSame = typeof namedCountry === 'string' && namedCountry.toUpperCase() === located.country;
  const agrees = namedCountry === undefined || isSame;
  const hasCity = agrees && located.city !== undefined && named(city, cityTag, tags) === undefined;
  if (!hasCity) return [...given, ...byAddress];
  return [...given, ...byAddress, ...write(cityTag, located.city === '' ? null : located.city)];
}
