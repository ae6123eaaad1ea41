import { describe, expect, it } from '@jest/globals';
import { AddressGuard } from '@tidings/runtime';
import { isTrustedOrigin } from './wns-sender.ts';
import { pushEndpointOf } from '../webpush/push-endpoint.ts';

const addresses = new AddressGuard(['10.1.0.0/16', '::1']);
const isTrusted = (uri: string): boolean => isTrustedOrigin(pushEndpointOf(uri)?.origin ?? '', addresses);

describe('the access token of Windows', () => {
  it.each([
    'https://db5p.notify.windows.com/?token=AQ%3d',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
    'HTTPS://DB5.Notify.Windows.Com/?token=x',
    'https://notify.windows.com/x',
    'https://db5.notify.windows.com:443/x',
    'http://10.1.2.3:8080/x',
    'http://[::1]:9/x',
  ])('is sent to %s', (uri) => expect(isTrusted(uri)).toBe(true));

  it.each([
    'http://db5.notify.windows.com/?token=x',
    'https://notify.windows.com.example/x',
    'https://xnotify.windows.com/x',
    'https://db5.notify.windows.com@example.com/x',
    'https://example.com/notify.windows.com/',
    'https://example.com\\.notify.windows.com/',
    'https://example.com#.notify.windows.com/',
    'https://8.8.8.8/x',
    'http://10.2.0.1/x',
    'http://localhost/x',
    'token',
    '',
  ])('is not sent to %s', (uri) => expect(isTrusted(uri)).toBe(false));
});
