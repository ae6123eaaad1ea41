import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clearNames } from '../send-results.ts';
import { resultLine } from '../testing/result-line.ts';
import { smppResult, twilioRefusal } from './sms-results.ts';

afterAll(clearNames);

describe('smppResult', () => {
  it.each([
    [0x0b, '0x0B', 'INVALID_TOKEN final'],
    ...[0x01, 0x61, 0x62].map(
      (status) => [status, `0x${status.toString(16).padStart(2, '0')}`, 'INVALID_CONTENT final'] as const,
    ),
    [0x0a, '0x0A', 'INVALID_CONFIGURATION final'],
    [0x0d, '0x0D', 'INVALID_CONFIGURATION final'],
    [0x0e, '0x0E', 'INVALID_CONFIGURATION final'],
    [0x0f, '0x0F', 'INVALID_CONFIGURATION final'],
    [0x14, '0x14', 'QUOTA_EXCEEDED retry 0'],
    [0x58, '0x58', 'QUOTA_EXCEEDED retry 1000 throttles credential'],
    [0x08, '0x08', 'PROVIDER_ERROR retry 0'],
    [0x45, '0x45', 'PROVIDER_ERROR retry 0'],
    [0x64, '0x64', 'PROVIDER_ERROR retry 0'],
    [0x65, '0x65', 'PROVIDER_ERROR final'],
    [0x66, '0x66', 'PROVIDER_ERROR final'],
    [0x02, '0x02', 'INTERNAL_ERROR final'],
    [0x03, '0x03', 'INTERNAL_ERROR final'],
    [0x04, '0x04', 'INTERNAL_ERROR final'],
    [0xff, '0xFF', 'UNCLASSIFIED_ERROR final'],
    [0x4321, '0x4321', 'UNCLASSIFIED_ERROR final'],
  ] as const)('reads %i as a send result', (status, code, expected) => {
    expect(resultLine(smppResult(status))).toBe(expected);
    expect(smppResult(status)).toMatchObject({ code });
    expect(smppResult(status)).toBe(smppResult(status));
  });
});

describe('twilioRefusal', () => {
  const error = (code: number | string) => JSON.stringify({ code, message: 'no', status: 400 });

  it.each([
    [201, '{"sid":"SM1"}', '', 'SENT sent'],
    [400, error(21_211), '21211', 'INVALID_TOKEN final'],
    [400, error('21614'), '21614', 'INVALID_TOKEN final'],
    [400, error(21_610), '21610', 'INVALID_TOKEN final'],
    [400, error(21_617), '21617', 'INVALID_CONTENT final'],
    [400, error(21_606), '21606', 'INVALID_CONFIGURATION final'],
    [401, error(20_003), '20003', 'INVALID_CONFIGURATION final'],
    [401, '<html>', '401', 'INVALID_CONFIGURATION final'],
    [403, '{}', '403', 'INVALID_CONFIGURATION final'],
    [429, error(20_429), '20429', 'QUOTA_EXCEEDED retry 0'],
    [429, '', '429', 'QUOTA_EXCEEDED retry 0'],
    [500, error(20_500), '500', 'PROVIDER_ERROR retry 0'],
    [503, '<html>', '503', 'PROVIDER_ERROR retry 0'],
    [400, error(99_999), '400', 'UNCLASSIFIED_ERROR final'],
    [400, '{"code": 21', '400', 'UNCLASSIFIED_ERROR final'],
    [404, 'null', '404', 'UNCLASSIFIED_ERROR final'],
  ])('reads %i %s as a send result', (status, body, code, expected) => {
    const { result } = twilioRefusal(status, body);
    expect(resultLine(result)).toBe(expected);
    expect(result.code).toBe(code);
  });

  it('reads replies of any content by their status, or by a known code', () => {
    const code = fc.oneof(fc.integer(), fc.string(), fc.constantFrom(21_211, '21211', 20_429, null, {}, [21_211]));
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.record({ code, message: fc.anything() }).map((fields) => JSON.stringify(fields)),
    );
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), body, (status, text) => {
        const { result } = twilioRefusal(status, text);
        expect(result.name.length).toBeLessThanOrEqual(100);
        if (status >= 200 && status < 300) expect(resultLine(result)).toBe('SENT sent');
        else expect(result.category).not.toBe('SENT');
        // No reply costs a contact its number (R-P2).
        expect(result.then.do).not.toBe('invalidate');
        const isListed = /^2\d{4}$/.test(result.code);
        if (!isListed && status >= 500) expect(resultLine(result)).toBe('PROVIDER_ERROR retry 0');
      }),
    );
  });

  it('keeps a bounded number of results', () => {
    const results = new Set<unknown>();
    for (let i = 0; i < 5000; i++) results.add(twilioRefusal(418, JSON.stringify({ code: `x${i}` })).result.name);
    expect(results.size).toBeLessThanOrEqual(1001);
  });

  it('finds listed codes also after a thousand others', () => {
    for (let i = 0; i < 1000; i++) twilioRefusal(400, error(90_000 + i));
    expect(twilioRefusal(400, error(21_623)).result).toMatchObject({ code: '21623', category: 'INVALID_CONTENT' });
    expect(twilioRefusal(400, error(99_998)).result).toMatchObject({ code: '400', name: '' });
  });
});
