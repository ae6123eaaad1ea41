import { defaultTags, parseTagWrite, type TagDefinition, type TagWrite } from '@tidings/audience';
import type { Register } from '@tidings/rpc';

const { country: countryTag, city: cityTag } = defaultTags;

const named = (field: string | undefined, { name }: { readonly name: string }, tags: Register['tags']): unknown =>
  (tags && Object.hasOwn(tags, name) ? (tags[name] as unknown) : undefined) ?? field;

const write = (tag: TagDefinition, value: string | null | undefined): TagWrite[] => {
  const made = value === undefined ? undefined : parseTagWrite(tag, value);
  return made === undefined || typeof made === 'string' ? [] : [made];
};

/** The address fills in what fields and tags leave out (R-RES17); its city only within the named country. */
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
