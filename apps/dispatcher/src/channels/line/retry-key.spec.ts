import { describe, expect, it } from '@jest/globals';
import { retryKeysOf } from './retry-key.ts';

const batch = { message: 'AF0B-EEFE4D5E-E445B2E9', bucket: 0, application: 'AAAAA-00000' };

describe('the retry key of a device', () => {
  it('is a UUID, the same in every attempt', () => {
    const key = retryKeysOf(batch)(65_537);
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(retryKeysOf({ ...batch })(65_537)).toBe(key);
  });

  it('differs for each device, message and application', () => {
    const keys = [
      ...[1, 2, 21].map(retryKeysOf(batch)),
      retryKeysOf({ ...batch, bucket: 1 })(1),
      retryKeysOf({ ...batch, application: 'AAAAA-00002' })(1),
      retryKeysOf({ ...batch, message: 'AF0B-EEFE4D5E-E445B2EA' })(1),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
