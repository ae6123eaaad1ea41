import { expect, it } from '@jest/globals';
import { smppCredentialIn } from './sms-credential.ts';

it.each([
  [
    'smpp://id:word@smsc.example:3600?sender=Shop',
    { host: 'smsc.example', port: 3600, systemId: 'id', password: 'word', sender: 'Shop' },
  ],
  [
    'smpp://system%20id:p%40ss@[::1]?sender=%2B4917',
    { host: '::1', port: 2775, systemId: 'system id', password: 'p@ss', sender: '+4917' },
  ],
  [
    'smpp://id@10.0.0.1?sender=My+Shop',
    { host: '10.0.0.1', port: 2775, systemId: 'id', password: '', sender: 'My Shop' },
  ],
])('smppCredentialIn reads the account in %s', (address, account) => {
  expect(smppCredentialIn(address)).toEqual({ transport: 'smpp', ...account });
});
