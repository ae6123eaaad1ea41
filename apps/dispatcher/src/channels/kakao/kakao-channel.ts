import { definitions, type KakaoCredential, localResults } from '@tidings/channels';
import type { OutgoingRequest } from '@tidings/http2';
import type { Channel, Job } from '../channel-port.ts';
import { fixedToken, http1Channel, type Http1Deps } from '../http1-channel.ts';

const NHN = 'https://api-alimtalk.cloud.toast.com';

const resourceOf = ({ batch }: Job): string => (batch.content?.kakao?.text === undefined ? 'messages' : 'raw-messages');

const requestWith = (appKey: string, secretKey: string, resource: string): OutgoingRequest => ({
  path: `/alimtalk/v2.3/appkeys/${encodeURIComponent(appKey)}/${resource}`,
  shared: ['x-secret-key', secretKey, 'content-type', 'application/json;charset=UTF-8'],
  own: [],
});

export const kakaoChannel = ({ url = NHN, ...deps }: Http1Deps): Channel =>
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
