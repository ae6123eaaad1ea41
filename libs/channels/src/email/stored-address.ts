import { domainToUnicode } from 'node:url';
import { asciiAddress } from './email-credential.ts';

const NON_ASCII = /[\u0080-\uffff]/;

/** Addresses are in lower case (R-E1), international domains in ASCII (R-E2). */
export function storedAddress(address: string): string {
  const lower = address.toLowerCase();
  return NON_ASCII.test(lower) ? asciiAddress(lower) : lower;
}

/** Version 0.1 kept international domains as given. */
export function addressTexts(address: string): readonly string[] {
  const text = storedAddress(address);
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  const unicode = domain.includes('xn--') ? domainToUnicode(domain) : '';
  const legacy = unicode === '' ? [] : [`${text.slice(0, at)}${unicode}`];
  return [...new Set([text, address.toLowerCase(), ...legacy])];
}
