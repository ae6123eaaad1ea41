import { afterAll, beforeAll } from '@jest/globals';
import { addChannel, definitions, removeChannel } from '@tidings/channels';
import { Platform } from '@tidings/kernel';

/** The platform of {@link useChannelOfTwoVariants}. */
export const TWO_VARIANTS_PLATFORM = Platform.Kakao;

/**
 * Puts a channel with two variants in the place of Kakao's during a suite: `sealed`, which needs two fields beside the push token, and `fcm`, which has an
 * address of its own.
 */
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
