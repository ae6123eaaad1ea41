import { describe, expect, it } from '@jest/globals';
import { serverNameOf } from './server-name.ts';

describe('the server name of a TLS client', () => {
  it('is that of the host, and none for a literal address', () => {
    expect(['mail.example.com', '192.0.2.1', '2001:db8::1'].map(serverNameOf)).toEqual([
      { servername: 'mail.example.com' },
      {},
      {},
    ]);
  });
});
