import { definitions, type WhatsAppCredential } from '@tidings/channels';
import type { OutgoingRequest } from '@tidings/http2';
import type { Channel } from '../channel-port.ts';
import { fixedToken, http1Channel, type Http1Deps } from '../http1-channel.ts';

const GRAPH = 'https://graph.facebook.com';
const VERSION = 'v23.0';

const requestWith = (phoneNumberId: string, accessToken: string): OutgoingRequest => ({
  path: `/${VERSION}/${encodeURIComponent(phoneNumberId)}/messages`,
  shared: ['authorization', `Bearer ${accessToken}`, 'content-type', 'application/json'],
  own: [],
});

export const whatsAppChannel = ({ url = GRAPH, ...deps }: Http1Deps): Channel =>
  http1Channel<WhatsAppCredential>({
    ...deps,
    channel: 'whatsapp',
    definition: definitions.whatsapp,
    url: () => url,
    tokensOf: ({ accessToken }) => fixedToken(accessToken),
    requestsWith({ credential, token }) {
      const request = requestWith(credential.phoneNumberId, token);
      return () => request;
    },
  });
