import { describe, expect, it } from '@jest/globals';
import { KakaoContent } from '@tidings/events';
import { content, isHashOf, type TestDevice, written } from '../testing/payloads.ts';
import { kakao } from './kakao-definition.ts';
import { kakaoPayload } from './kakao-payload.ts';

const own = (fields: Partial<KakaoContent>, tags: string[] = []) => ({
  tags,
  kakao: { ...KakaoContent.fromPartial({ template: 'order' }), ...fields },
});
const bodyOf = (fields: Partial<KakaoContent>, { tags, ...of }: TestDevice & { tags?: string[] } = {}) => {
  const { body } = written(kakao, own(fields, tags), { token: 'kakao:01012345678', ...of });
  const { recipientList: list, ...request } = JSON.parse(body.toString()) as Record<string, unknown>;
  const [{ recipientGroupingKey: hash, ...recipient }] = list as [Record<string, unknown>];
  return { request, recipient, hash };
};

describe('a Kakao request', () => {
  it('has the template, the number without its prefix, and the statistics hash', () => {
    const { request, recipient, hash } = bodyOf({});
    expect([request, recipient]).toEqual([{ templateCode: 'order' }, { recipientNo: '01012345678' }]);
    expect(isHashOf(hash, 22)).toBe(true);
    expect(String(hash).length).toBeLessThanOrEqual(100);
  });

  it('names the sender of the credential', () => {
    const push = {
      message: 'AF0B-EEFE4D5E-E445B2E9',
      bucket: 0,
      messageId: 7n,
      campaignId: 0n,
      entry: undefined,
    };
    const { payload } = kakaoPayload(
      { ...push, applicationTitle: '', platform: 22, variant: 'alert', content: content(own({})) },
      new Int32Array(4),
      { senderKey: 'the "key"', appKey: 'a', secretKey: 's' },
    );
    expect(Buffer.from(payload.literals[0]!).toString()).toMatch(
      /^\{"senderKey":"the \\"key\\"","templateCode":"order"/,
    );
  });

  it('has the values of the template, with those of tags', () => {
    const values = [
      { name: '이름', text: '{{Name}}' },
      { name: 'order', text: '17' },
    ];
    const { recipient } = bodyOf({ values }, { tags: ['Name'], values: ['A"nna'] });
    expect(recipient['templateParameter']).toEqual({ 이름: 'A"nna', order: '17' });
    expect(kakao.ownTextsOf(own({ values }) as never).urls).toEqual([undefined, '{{Name}}', '17']);
  });

  it('has the whole text in place of values, with filled placeholders', () => {
    const values = [
      { name: 'who', text: '{{Name}}' },
      { name: 'order', text: '"17"' },
    ];
    const whole = 'Hello #{who}, {{Name}}: {{ order }}, #{order}, #{other}, {{other|Regular|none}}, \\{{who}}';
    const { recipient } = bodyOf({ text: whole, values }, { tags: ['Name'], values: ['Anna'] });
    expect(recipient).toEqual({
      recipientNo: '01012345678',
      content: 'Hello Anna, Anna: "17", "17", #{other}, none, {{who}}',
    });
  });

  it.each([
    [{ text: 'é'.repeat(1000) }, true],
    [{ text: 'é'.repeat(1001) }, false],
    [{ values: [{ name: 'a', text: 'é'.repeat(1000) }] }, true],
    [{ values: [{ name: 'a', text: 'é'.repeat(1001) }] }, false],
    [{ text: 'x'.repeat(2_000_000) }, false],
  ])('contains up to 1,000 characters of text and of a value (%#)', (fields, fits) => {
    const { body, limit } = written(kakao, own(fields));
    expect(kakao.fits(body, limit)).toBe(fits);
  });
});
