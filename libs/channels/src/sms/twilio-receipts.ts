import { createHmac, timingSafeEqual } from 'node:crypto';

export const TWILIO_PATH = '/webhooks/twilio/{application}';

export const TWILIO_HASH = 'p';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/** Twilio refuses messages with a local address. */
export function twilioCallback(publicUrl: string, provider: string, application: string): string | undefined {
  if (isLoopback(publicUrl) && !isLoopback(provider)) return undefined;
  return `${publicUrl}${TWILIO_PATH.replace('{application}', application)}?${TWILIO_HASH}=`;
}

const withPort = (url: string): string[] => {
  const [, scheme, authority, rest] = /^(https?):\/\/([^/?]+)(.*)/s.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) return [];
  const host = authority.replace(/:\d+$/, '');
  return [`${scheme}://${host}:${scheme === 'https' ? 443 : 80}${rest}`, `${scheme}://${host}${rest}`];
};

/** In constant time. Twilio signs some addresses with their usual port. */
export function isSignedByTwilio(token: string, url: string, form: URLSearchParams, header: string): boolean {
  const fields = [...form]
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flat()
    .join('');
  const given = Buffer.from(header);
  return [url, ...withPort(url)].some((each) => {
    const expected = Buffer.from(
      createHmac('sha1', token)
        .update(each + fields)
        .digest('base64'),
    );
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}

const ARRIVED: ReadonlySet<string> = new Set(['delivered', 'read']);

export const hasArrived = (form: URLSearchParams): boolean =>
  ARRIVED.has(form.get('MessageStatus') ?? form.get('SmsStatus') ?? '');
