import { expect, it } from '@jest/globals';
import { smppCredentialIn } from './sms-credential.ts';

it.each([
  ['smpp://id:word@smsc.example:3600?sender=Shop', 'smsc.example', 3600, 'id', 'word', 'Shop'],
  ['smpp://system%20id:p%40ss@[::1]?sender=%2B4917', '::1', 2775, 'system id', 'p@ss', '+4917'],
  ['smpp://id@10.0.0.1?sender=My+Shop', '10.0.0.1', 2775, 'id', '', 'My Shop'],
])('the account in %s', (address, host, port, systemId, password, sender) => {
  expect(smppCredentialIn(address)).toEqual({ transport: 'smpp', host, port, systemId, password, sender });
});
