import { describe, expect, it } from '@jest/globals';
import { resultLine } from '../testing/result-line.ts';
import { kakaoRefusal } from './kakao-results.ts';

const header = (resultCode: number, isSuccessful = resultCode === 0) => ({
  header: { isSuccessful, resultCode, resultMessage: 'No' },
});
const recipient = (resultCode: number, whole: object = header(0)): string =>
  JSON.stringify({ ...whole, message: { sendResults: [{ recipientNo: '1', resultCode, resultMessage: 'No' }] } });

describe('kakaoRefusal', () => {
  it.each([
    [200, recipient(0)],
    [200, JSON.stringify(header(0))],
    [200, '{"header":{"isSucc'],
    [200, '{}'],
  ])('reads %i %s as accepted', (status, body) => {
    expect(kakaoRefusal(status, body).result).toMatchObject({ category: 'SENT', then: { do: 'sent' } });
  });

  it.each([
    ['INVALID_TOKEN final', [-1020, -1022]],
    ['INVALID_CONTENT final', [-1028, -2000, -2005, -2019, -2032, -3000, -3003, -3049]],
    ['QUOTA_EXCEEDED retry 0', [-1017]],
    ['UNCLASSIFIED_ERROR final', [-4000, -2500, -9999, 4]],
  ])('reads as %s the recipient with one of %j', (expected, codes) => {
    for (const code of codes) {
      // A request whose only recipient fails may fail as a whole.
      for (const body of [recipient(code), recipient(code, header(-1031))]) {
        const { result } = kakaoRefusal(200, body);
        expect([resultLine(result), result.code, result.name]).toEqual([expected, String(code), 'No']);
      }
    }
  });

  it.each([
    ['INVALID_CONFIGURATION final', [-1000, -1001, -1006, -1014, -1022, -1024, -1027, -1030, -2017]],
    ['INVALID_CONTENT final', [-2001, -3002, -3003]],
    ['QUOTA_EXCEEDED retry 0', [-1017]],
  ])('reads as %s the request with one of %j, whatever the status', (expected, codes) => {
    for (const code of codes) {
      for (const status of [200, 401]) {
        const { result } = kakaoRefusal(status, JSON.stringify(header(code)));
        expect([resultLine(result), result.code]).toEqual([expected, String(code)]);
      }
    }
  });

  it('reads a code that is text as its number', () => {
    const recipientBody = { message: { sendResults: [{ resultCode: '-1022', resultMessage: 'No' }] } };
    const requestBody = { header: { isSuccessful: false, resultCode: '-1017', resultMessage: 'No' } };
    const results = [recipientBody, requestBody].map((body) => kakaoRefusal(200, JSON.stringify(body)).result);
    expect(results.map((result) => resultLine(result))).toEqual(['INVALID_TOKEN final', 'QUOTA_EXCEEDED retry 0']);
    expect(results.map(({ code }) => code)).toEqual(['-1022', '-1017']);
  });

  it.each([
    [200, JSON.stringify(header(-9999)), 'PROVIDER_ERROR retry 0', '-9999', 'No'],
    [500, JSON.stringify(header(-9999)), 'PROVIDER_ERROR retry 0', '500', '-9999 No'],
    [429, JSON.stringify(header(-9995)), 'QUOTA_EXCEEDED retry 0', '429', '-9995 No'],
    [404, '<html>', 'UNCLASSIFIED_ERROR final', '404', 'unreadable_reply'],
    [503, '{}', 'PROVIDER_ERROR retry 0', '503', ''],
  ])('classifies %i %s', (status, body, expected, code, name) => {
    const { result } = kakaoRefusal(status, body);
    expect([resultLine(result), result.code, result.name]).toEqual([expected, code, name]);
  });
});
