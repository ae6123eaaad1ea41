import { describe, expect, it } from '@jest/globals';
import { resultLine } from '../testing/result-line.ts';
import { whatsAppRefusal } from './whatsapp-results.ts';

const reply = (code: number, message = `(#${code}) No`): string => JSON.stringify({ error: { code, message } });

describe('whatsAppRefusal', () => {
  it.each([
    [
      'INVALID_CONTENT final',
      [33, 100, 131008, 131009, 131021, 131047, 131051, 131052, 131053, 132000, 132001, 132005, 132007, 132012],
    ],
    ['INVALID_CONTENT final', [132015, 132016, 132068, 132069]],
    ['INVALID_CONFIGURATION final', [0, 3, 10, 190, 200, 250, 299, 368, 131005, 131030, 131031, 131042, 131045]],
    ['INVALID_CONFIGURATION final', [133000, 133005, 133006, 133010, 133015]],
    ['QUOTA_EXCEEDED retry 0', [4, 80007, 130429, 131048, 133016]],
    ['QUOTA_EXCEEDED retry 0 throttles device', [131056]],
    ['PROVIDER_ERROR retry 0', [1, 2, 131000, 131016, 131057, 133004]],
    ['INVALID_TOKEN final', [131026]],
    ['PROVIDER_ERROR final', [130472, 130497, 131049, 131050]],
    ['UNCLASSIFIED_ERROR final', [135000]],
  ])('reads as %s, whatever the status, %j', (expected, codes) => {
    for (const code of codes) {
      for (const status of [400, 500]) {
        const { result } = whatsAppRefusal(status, reply(code));
        expect([resultLine(result), result.code, result.name]).toEqual([expected, String(code), 'No']);
      }
    }
  });

  it('reads a code that is text as its number', () => {
    const { result } = whatsAppRefusal(400, '{"error":{"code":"131026","message":"No"}}');
    expect([resultLine(result), result.code, result.name]).toEqual(['INVALID_TOKEN final', '131026', 'No']);
  });

  it.each([
    [400, reply(300), 'UNCLASSIFIED_ERROR final', '300 No'],
    [503, reply(999_999, 'No'), 'PROVIDER_ERROR retry 0', '999999 No'],
    [429, '{}', 'QUOTA_EXCEEDED retry 0', ''],
    [502, '<html>', 'PROVIDER_ERROR retry 0', 'unreadable_reply'],
    [404, '[]', 'UNCLASSIFIED_ERROR final', ''],
    [400, '{"error":{"code":"x","message":7}}', 'UNCLASSIFIED_ERROR final', ''],
  ])('classifies %i with %s by the status', (status, body, expected, name) => {
    const { result } = whatsAppRefusal(status, body);
    expect([resultLine(result), result.code, result.name]).toEqual([expected, String(status), name]);
  });
});
