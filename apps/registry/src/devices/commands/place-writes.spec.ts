import { describe, expect, it } from '@jest/globals';
import { defaultTags } from '@tidings/audience';
import { Register } from '@tidings/rpc';
import { placeWrites } from './place-writes.ts';

const located = { country: 'AT', city: 'Graz' };

const writesOf = (registration: Partial<Register>) =>
  Object.fromEntries(
    placeWrites(Register.fromPartial(registration)).map((write) => [
      write.tag === defaultTags.country ? 'country' : 'city',
      write.operation === 'set' ? write.value.value : null,
    ]),
  );

describe('the place of a registration (R-RES17)', () => {
  it.each<[string, Partial<Register>, object]>([
    ['is the named one', { country: 'DE', city: 'Ulm', located }, { country: 'DE', city: 'Ulm' }],
    ['is unchanged if neither it nor its address has one', {}, {}],
    ['is that of its address', { located }, located],
    ['has the city by address in the named country', { country: 'AT', located }, located],
    ['has no city by address in another country', { country: 'DE', located }, { country: 'DE' }],
    ['has the country by address of a named city', { city: 'Bruck', located }, { country: 'AT', city: 'Bruck' }],
    [
      'loses the previous city if its address has none',
      { located: { country: 'AT', city: '' } },
      { country: 'AT', city: null },
    ],
    [
      'keeps the city before if cities are not known',
      { located: { country: 'AT', city: undefined } },
      { country: 'AT' },
    ],
    ['is left to tags that name it', { tags: { Country: 'FR', City: 'Lyon' }, located }, {}],
    ['has the city by address for a tag that agrees', { tags: { Country: 'at' }, located }, { city: 'Graz' }],
    ['has no city by address for a tag that does not', { tags: { Country: 'FR' }, located }, {}],
    ['has the country by address beside a tag', { tags: { City: 'Bruck' }, located }, { country: 'AT' }],
  ])('%s', (_, registration, place) => {
    expect(writesOf(registration)).toEqual(place);
  });
});
