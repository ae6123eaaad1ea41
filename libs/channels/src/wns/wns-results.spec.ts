import { describe, expect, it } from '@jest/globals';
import { resultLine } from '../testing/result-line.ts';
import { wnsResult } from './wns-results.ts';

describe('wnsResult', () => {
  it.each([
    [200, '', 'SENT sent'],
    [200, 'received', 'SENT sent'],
    [200, 'dropped', 'PROVIDER_ERROR final'],
    [200, 'channelThrottled', 'QUOTA_EXCEEDED retry 0 throttles device'],
    [400, '', 'INVALID_CONTENT final'],
    [401, '', 'INVALID_CONFIGURATION once'],
    [403, '', 'INVALID_CONFIGURATION final'],
    [404, '', 'INVALID_TOKEN invalidate'],
    [405, '', 'INTERNAL_ERROR final'],
    [406, '', 'QUOTA_EXCEEDED retry 1000 throttles credential'],
    [410, '', 'INVALID_TOKEN invalidate'],
    [413, '', 'INVALID_CONTENT final'],
    [418, '', 'UNCLASSIFIED_ERROR final'],
    [429, '', 'QUOTA_EXCEEDED retry 0'],
    [500, '', 'PROVIDER_ERROR retry 0'],
    [503, '', 'PROVIDER_ERROR retry 0'],
  ])('reads %i with the state %j as a send result (R-P)', (status, state, expected) => {
    for (const name of ['x-wns-notificationstatus', 'x-wns-status']) {
      expect(resultLine(wnsResult(status, { [name]: state }))).toBe(expected);
    }
  });

  it('has the name of WNS, else one of its own', () => {
    expect(wnsResult(410)).toMatchObject({ code: '410', name: 'gone' });
    expect(wnsResult(410, { 'x-wns-error-description': 'Channel expired' })).toMatchObject({ name: 'Channel expired' });
    expect(wnsResult(200, { 'x-wns-status': 'dropped' })).toMatchObject({ code: '200', name: 'dropped' });
  });
});
