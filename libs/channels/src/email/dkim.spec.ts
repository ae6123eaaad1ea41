import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isDkimSigned } from '@tidings/testing';
import { writtenMail } from './dkim.ts';

const DATE = new Date('2026-11-26T15:04:05.678Z');

/** RFC 8463, A. */
const SECRET = 'nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=';
const PUBLIC = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const EXAMPLE = `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game.  Are you hungry yet?

Joe.
`.replaceAll('\n', '\r\n');

const base64url = (base64: string): string => Buffer.from(base64, 'base64').toString('base64url');
const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(PUBLIC) };
const publicKey = createPublicKey({ format: 'jwk', key: jwk });
const privateKey = createPrivateKey({ format: 'jwk', key: { ...jwk, d: base64url(SECRET) } });

const mail = {
  headers: ['From: Joe <joe@football.example.com>', 'To: suzie@shopping.example.net', 'Subject: Is  dinner\r\n ready?'],
  body: 'Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n',
};

describe('a signature by Ed25519 (RFC 8463)', () => {
  it('is verified as in the example of the RFC', () => {
    expect(isDkimSigned(EXAMPLE, publicKey)).toBe(true);
    expect(isDkimSigned(EXAMPLE.replace('dinner', 'supper'), publicKey)).toBe(false);
    expect(isDkimSigned(EXAMPLE.replace('lost', 'won'), publicKey)).toBe(false);
  });

  it.each([
    ['the key of the RFC', { privateKey, publicKey }, 'ed25519'],
    ['another one', generateKeyPairSync('ed25519'), 'ed25519'],
    ['RSA of 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }), 'rsa'],
  ])('is valid by %s', (_, pair, algorithm) => {
    const raw = writtenMail(
      mail,
      { domain: 'football.example.com', selector: 's', key: pair.privateKey },
      DATE,
    ).toString();
    expect(raw).toContain(`a=${algorithm}-sha256;`);
    expect(isDkimSigned(raw, pair.publicKey)).toBe(true);
    expect(isDkimSigned(raw.replace('hungry', 'angry'), pair.publicKey)).toBe(false);
  });
});
