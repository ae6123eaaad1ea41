import { phoneNumberOf, whatsAppHwidOf } from './phone.ts';

describe('phone numbers (R-C2)', () => {
  it.each([
    ['+4915112345678', '+4915112345678'],
    ['4915112345678', '+4915112345678'],
    ['+49 (151) 123-456-78', '+4915112345678'],
    ['49 151 123 456 78', '+4915112345678'],
    ['+1234567', '+1234567'],
    ['1234567', undefined],
    ['1234567890', undefined],
    ['12345678901', '+12345678901'],
    ['123456789012345', '+123456789012345'],
    ['1234567890123456', undefined],
    ['+0491511234567', undefined],
    ['0049151123456', undefined],
    ['whatsapp:+4915112345678', undefined],
    ['+49151x2345678', undefined],
    ['', undefined],
  ])('are read in every spelling: %j is %j', (text, number) => {
    expect(phoneNumberOf(text)).toBe(number);
    const contact = number && `whatsapp:${number}`;
    if (text.startsWith('whatsapp:')) return;
    expect(whatsAppHwidOf(text)).toBe(contact);
    expect(whatsAppHwidOf(`whatsapp:${text}`)).toBe(contact);
  });
});
