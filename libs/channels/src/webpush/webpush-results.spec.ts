import { describe, expect, it } from '@jest/globals';
import { resultLine } from '../testing/result-line.ts';
import { webPushRefusal } from './webpush-results.ts';

describe('webPushRefusal', () => {
  it.each([
    [400, 'bad_request', '', 'INVALID_CONTENT final'],
    [401, 'unauthorized', '', 'INVALID_CONFIGURATION final'],
    [403, 'BadJwtToken', '{"reason":"BadJwtToken"}', 'INVALID_CONFIGURATION final'],
    [403, 'forbidden', 'the key in the authorization header does not correspond', 'INVALID_CONFIGURATION final'],
    [404, 'not_found', '', 'INVALID_TOKEN invalidate'],
    [404, 'Not Found', '{"code":404,"errno":102,"error":"Not Found"}', 'INVALID_TOKEN invalidate'],
    [406, 'not_acceptable', '', 'QUOTA_EXCEEDED retry 0 throttles device'],
    [410, 'gone', 'push subscription has unsubscribed or expired.', 'INVALID_TOKEN invalidate'],
    [413, 'PayloadTooLarge', '{"reason":"PayloadTooLarge"}', 'INVALID_CONTENT final'],
    [429, 'TooManyRequests', '{"reason":"TooManyRequests"}', 'QUOTA_EXCEEDED retry 0 throttles device'],
    [500, '', '', 'PROVIDER_ERROR retry 0 throttles device'],
    [502, '', '<html>', 'PROVIDER_ERROR retry 0 throttles device'],
    [503, 'Service Unavailable', '{"error":"Service Unavailable"}', 'PROVIDER_ERROR retry 0 throttles device'],
    [302, '', '', 'UNCLASSIFIED_ERROR final'],
    [418, '', '{"reason":7}', 'UNCLASSIFIED_ERROR final'],
    [410, 'unreadable_reply', '{"reason":"Unreg', 'INVALID_TOKEN invalidate'],
  ])('reads %i %s as a send result', (status, name, body, expected) => {
    const { result } = webPushRefusal(status, body);
    expect(resultLine(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name });
  });
});
