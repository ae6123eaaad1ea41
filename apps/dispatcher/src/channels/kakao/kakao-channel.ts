import { definitions, type KakaoCredential, localResults } from '@tidings/channels';
import type { OutgoingRequest } from '@tidings/http2';
import type { Channel, Job } from '../channel-port.ts';
import { fixedToken, http1Channel, type Http1ChannelOptions } from '../http1-channel.ts';

export interface KakaoDeps extends Omit<
  Http1ChannelOptions<KakaoCredential>,
  'channel' | 'definition' | 'url' | 'unsuitable' | 'tokensOf' | 'requestsWith'
> {
  readonly url?: string | undefined;
}

const NHN = 'https://api-alimtalk.cloud.toast.com';

const resourceOf = ({ batch }: Job): string => (batch.content?.kakao?.text === undefined ? 'messages' : 'raw-messages');

const requestWith = (appKey: string, secretKey: string, resource: string): OutgoingRequest => ({
  path: `/alimtalk/v2.3/appkeys/${encodeURIComponent(appKey)}/${resource}`,
  shared: ['x-secret-key', secretKey, 'content-type', 'application/json;charset=UTF-8'],
  own: [],
});

export const kakaoChannel = ({ url = NHN, ...deps }: KakaoDeps): Channel =>
  http1Channel<KakaoCredential>({
    ...deps,
    channel: 'kakao',
    definition: definitions.kakao,
    url: () => url,
    unsuitable: (_, { content }) => (content?.kakao ? undefined : localResults.noTemplate),
    tokensOf: ({ secretKey }) => fixedToken(secretKey),
    requestsWith({ credential, token, job }) {
      const request = requestWith(credential.appKey, token, resourceOf(job));
      return () => request;
    },
  });
