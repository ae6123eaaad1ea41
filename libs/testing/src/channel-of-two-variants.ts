import { afterAll, beforeAll } from '@jest/globals';
import { addChannel, definitions, removeChannel } from '@tidings/channels';
import { Platform } from '@tidings/kernel';

export const TWO_VARIANTS_PLATFORM = Platform.Kakao;

/** `sealed` needs two fields beside the push token; `fcm` has an address of its own. */
export function useChannelOfTwoVariants(): void {
  beforeAll(() => {
    removeChannel('kakao');
    addChannel('birds', {
      ...definitions.fcm,
      platforms: [TWO_VARIANTS_PLATFORM],
      variants: {
        sealed: { channel: 'birds', columns: ['authToken', 'publicKey'] },
        fcm: { channel: 'fcm', address: 'fcmToken' },
      },
      variantsFor: () => ['sealed', 'fcm'],
    });
  });
  afterAll(() => {
    removeChannel('birds');
    addChannel('kakao', definitions.kakao);
  });
}
