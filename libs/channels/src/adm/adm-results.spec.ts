import { describe, expect, it } from '@jest/globals';
import { resultLine } from '../testing/result-line.ts';
import { admRefusal } from './adm-results.ts';

const reply = (reason: string): string => JSON.stringify({ reason });

describe('an answer of ADM (R-P)', () => {
  it.each([
    [400, 'InvalidRegistrationId', 'INVALID_TOKEN invalidate'],
    [400, 'Unregistered', 'INVALID_TOKEN invalidate'],
    [400, 'InvalidData', 'INVALID_CONTENT final'],
    [400, 'InvalidConsolidationKey', 'INVALID_CONTENT final'],
    [400, 'InvalidExpiration', 'INVALID_CONTENT final'],
    [400, 'InvalidChecksum', 'INVALID_CONTENT final'],
    [400, 'InvalidType', 'INVALID_CONTENT final'],
    [413, 'MessageTooLarge', 'INVALID_CONTENT final'],
    [401, 'AccessTokenExpired', 'INVALID_CONFIGURATION once'],
    [429, 'MaxRateExceeded', 'QUOTA_EXCEEDED retry 0'],
    [500, 'InternalServerError', 'PROVIDER_ERROR retry 0'],
    [503, 'ServiceUnavailable', 'PROVIDER_ERROR retry 0'],
    [404, 'Unheard', 'UNCLASSIFIED_ERROR final'],
  ])('is classified by status and reason: %i %s', (status, name, expected) => {
    const { result, replacement } = admRefusal(status, reply(name));
    expect(resultLine(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name });
    expect(replacement).toBeUndefined();
  });

  it('contains the registration id of the device if the push is accepted', () => {
    expect(admRefusal(200, '{"registrationID":"amzn1.adm"}')).toMatchObject({
      result: { category: 'SENT' },
      replacement: 'amzn1.adm',
    });
    for (const body of ['', '{"registrationID":"a', '{}', '{"registrationID":""}', '{"registrationID":7}', 'null']) {
      expect(admRefusal(200, body)).toMatchObject({ result: { category: 'SENT' }, replacement: undefined });
    }
  });

  it('is classified by its status if it is unreadable (R-P1)', () => {
    expect(admRefusal(502, '<html>').result).toMatchObject({ category: 'PROVIDER_ERROR', name: 'unreadable_reply' });
    expect(resultLine(admRefusal(429, '<html>').result)).toBe('QUOTA_EXCEEDED retry 0');
    expect(resultLine(admRefusal(400, '{"reason":"Unregis').result)).toBe('UNCLASSIFIED_ERROR final');
  });
});
