import { describe, expect, it } from '@jest/globals';
import { geoipFile } from '@tidings/testing';
import { GeoipDatabase } from './geoip-database.ts';

const networks = [
  { network: '198.51.100.0/25', country: 'AT', city: 'Graz' },
  { network: '203.0.113.0/24', country: 'DE' },
  { network: '2001:db8:1::/48', country: 'FR', city: 'Orléans' },
  { network: '192.0.2.0/24', country: 'Nowhere' },
];

describe('a geo-IP database', () => {
  const builtAt = Date.UTC(2026, 0, 15);
  const database = new GeoipDatabase(geoipFile(networks, { builtAt }));

  it.each([
    ['198.51.100.1', { country: 'AT', city: 'Graz' }],
    ['198.51.100.127', { country: 'AT', city: 'Graz' }],
    ['::ffff:198.51.100.1', { country: 'AT', city: 'Graz' }],
    ['2001:db8:1:ffff::1', { country: 'FR', city: 'Orléans' }],
    ['2001:db8:1::1%eth0', { country: 'FR', city: 'Orléans' }],
    ['203.0.113.9', { country: 'DE', city: '' }],
    ['198.51.100.128', undefined],
    ['2001:db8:2::1', undefined],
    ['192.0.2.1', undefined],
    ['127.0.0.1', undefined],
    ['::1', undefined],
    ['example.com', undefined],
    ['', undefined],
  ])('finds the location of %s', (address, location) => {
    expect(database.find(address)).toEqual(location);
  });

  it('contains its build time', () => {
    expect(database.builtAt).toBe(builtAt);
  });

  it('has no cities if it is one of countries', () => {
    const countries = new GeoipDatabase(geoipFile(networks, { type: 'Test-Country' }));
    expect(countries.find('198.51.100.1')).toEqual({ country: 'AT', city: undefined });
  });

  it('may contain only IPv4 addresses', () => {
    const short = new GeoipDatabase(geoipFile(networks.slice(0, 2), { ipVersion: 4 }));
    expect(short.find('::ffff:203.0.113.9')).toEqual({ country: 'DE', city: '' });
    expect(short.find('2001:db8:1::1')).toBeUndefined();
  });

  it('refuses other files, and truncated ones', () => {
    const whole = geoipFile(networks);
    const tailOnly = whole.subarray(whole.lastIndexOf('MaxMind.com') - 3);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('{}'),
      whole.subarray(0, -20 * 8),
      whole.subarray(0, -30),
      tailOnly,
    ]) {
      expect(() => new GeoipDatabase(bytes)).toThrow('not a geo-IP database');
    }
  });

  it('finds no location for damaged records', () => {
    const damaged = geoipFile(networks);
    const tree = damaged.indexOf(Buffer.alloc(16)) + 16;
    damaged.fill(0xff, tree, damaged.lastIndexOf('MaxMind.com') - 3);
    const found = new GeoipDatabase(damaged);
    expect(found.find('198.51.100.1')).toBeUndefined();
  });
});
